/** The response as chips, one for each token; and what else might have come at one of them. */
import { Fragment } from 'preact';
import { useRef } from 'preact/hooks';
import type { ShownToken, TokenKind } from '../core/respond.ts';

/** What the kinds are called. */
export const kinds: Readonly<Record<TokenKind, string>> = {
  free: 'sampled, free',
  masked: 'sampled under the mask',
  overruled: 'the mask overruled the model',
  forced: 'forced: written without the model',
};

/** The chips, and which of them is looked at. */
export interface TokensProps {
  readonly tokens: readonly ShownToken[];
  readonly selected: number;
  readonly onSelect: (index: number) => void;
}

/** Chips are one stop of the keyboard; arrow keys move between them. */
export function Tokens({ tokens, selected, onSelect }: TokensProps) {
  const list = useRef<HTMLDivElement>(null);
  const move = (to: number) => {
    const index = Math.max(0, Math.min(tokens.length - 1, to));
    onSelect(index);
    list.current?.querySelectorAll<HTMLElement>('[role=option]')[index]?.focus();
  };
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: selected + 1,
    ArrowLeft: selected - 1,
    Home: 0,
    End: tokens.length - 1,
  };
  return (
    <div
      class="tokens"
      role="listbox"
      aria-label="Tokens of the response"
      aria-orientation="horizontal"
      tabIndex={tokens.length === 0 ? 0 : -1}
      ref={list}
      onKeyDown={(event) => {
        const to = steps[event.key];
        if (to === undefined) return;
        event.preventDefault();
        move(to);
      }}
    >
      {tokens.map((token, index) => (
        <Fragment key={index}>
          <span
            class={`token ${token.kind}`}
            role="option"
            aria-selected={index === selected}
            aria-label={`${spoken(token.text)}, ${kinds[token.kind]}`}
            tabIndex={index === selected ? 0 : -1}
            onMouseEnter={() => onSelect(index)}
            onFocus={() => onSelect(index)}
          >
            {visible(token.text)}
          </span>
          {token.text.includes('\n') ? <br /> : null}
        </Fragment>
      ))}
    </div>
  );
}

/** Made once: each `toLocaleString` would make one. */
const written = new Intl.NumberFormat('en');

/** The candidates at one token. */
export function MaskAt({ token, size }: { readonly token: ShownToken | undefined; readonly size: number }) {
  if (token === undefined) return <p class="dim">Nothing is written yet.</p>;
  const { allowed, candidates, kind, text } = token;
  if (kind === 'forced') {
    return (
      <p>
        Only one text may stand here, so <code>{visible(text)}</code> is written without asking the model.
      </p>
    );
  }
  return (
    <>
      <p>
        <strong>
          {written.format(allowed)} of {written.format(size)}
        </strong>{' '}
        tokens may come next{kind === 'free' ? ': no schema applies here' : ''}.
      </p>
      <table class="candidates">
        <caption class="unseen">The likeliest tokens, before the mask</caption>
        <thead class="unseen">
          <tr>
            <th scope="col">Token</th>
            <th scope="col">Probability</th>
            <th scope="col">Mask</th>
          </tr>
        </thead>
        <tbody>
          {candidates.map((each, index) => (
            <tr key={index} class={`${each.allowed ? '' : 'forbidden'} ${each.taken ? 'taken' : ''}`}>
              <th scope="row">
                <span aria-hidden="true">{each.taken ? '→ ' : '\u00a0\u00a0'}</span>
                <code>{visible(each.text)}</code>
              </th>
              <td class="number">{percent(each.probability)}</td>
              <td>
                <span class="bar" style={{ width: `${Math.max(0.5, 100 * each.probability)}%` }} />
                <span class="unseen">
                  {each.allowed ? 'allowed' : 'forbidden'}
                  {each.taken ? ', taken' : ''}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function percent(probability: number): string {
  const share = 100 * probability;
  if (share > 0 && share < 0.0001) return '< 0.0001 %';
  return `${share.toFixed(share < 0.1 ? 4 : 1)} %`;
}

function visible(text: string): string {
  return text.replaceAll('\n', '↵').replaceAll(' ', '\u00a0');
}

function spoken(text: string): string {
  if (text === '\n') return 'line break';
  return text.trim() === '' ? 'space' : text;
}
