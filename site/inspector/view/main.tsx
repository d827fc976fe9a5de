/** The page begins here. */

import { knownTemplates } from 'virtual:known-templates';
import { render } from 'preact';
import { readFragment, readSharedState, type SharedState } from '../core/permalink.ts';
import { App } from './app.tsx';
import './style.css';

/** What a server put into the page, what the address holds, or the first of the known templates. */
async function firstState(): Promise<SharedState> {
  const given = document.getElementById('given')?.textContent;
  const shared = await readFragment(location.hash);
  const [first] = knownTemplates;
  const fallback = { input: first ?? { name: 'template', templateSource: '' } };
  if (shared !== null) return shared;
  return (given === undefined || given === null ? null : readSharedState(JSON.parse(given))) ?? fallback;
}

const page = document.getElementById('page');
if (page !== null) render(<App first={await firstState()} />, page);
