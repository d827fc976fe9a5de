/** The page begins here. */
import { render } from 'preact';
import { readPlace } from '../core/settings.ts';
import { App } from './app.tsx';
import './style.css';

const page = document.getElementById('page');
if (page !== null) render(<App first={readPlace(location.hash)} />, page);
