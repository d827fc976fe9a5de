/** The page begins here. */

import { knownTemplates } from 'virtual:known-templates';
import { render } from 'preact';
import { readFragment, readSharedState } from '../core/permalink.ts';
import { App, type AppProps } from './app.tsx';
import './style.css';

/** What a server put into the page, what the address holds, or the first of the known templates. */
async function firstState(): Promise<AppProps> {
  const given = document.getElementById('given')?.textContent;
  const shared = await readFragment(location.hash);
  if (shared !== null) return { first: shared, warning: null };
  const [known] = knownTemplates;
  const fallback = { input: known ?? { name: 'template', templateSource: '' } };
  const first =
    (given === undefined || given === null ? null : readSharedState(JSON.parse(given))) ?? fallback;
  const warning =
    location.hash.length <= 1
      ? null
      : `The link is damaged: what was shared cannot be read. This is ${first.input.name}.`;
  return { first, warning };
}

const page = document.getElementById('page');
if (page !== null) render(<App {...(await firstState())} />, page);
