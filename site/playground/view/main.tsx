/** The page begins here. */
import { render } from 'preact';
import { readFragment } from '../core/settings.ts';
import { App } from './app.tsx';
import './style.css';

const page = document.getElementById('page');
if (page !== null) render(<App first={readFragment(location.hash)} />, page);
