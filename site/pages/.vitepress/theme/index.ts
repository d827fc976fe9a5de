/** The default theme, in the colours of the inspector. */
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
