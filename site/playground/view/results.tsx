/** A response: its tokens, the mask at one of them, the call, and the events. */
import { useEffect, useState } from 'preact/hooks';
import type { ResponseMessage } from '../../../src/parser/events.ts';
import type { TokenKind } from '../core/respond.ts';
import type { ResponseState } from '../core/told.ts';
import { kinds, MaskAt, Tokens } from './tokens.tsx';

/** What is shown of which response. */
export interface ResultsProps {
  readonly response: ResponseState;
  /** Tokens of the vocabulary. */
  readonly size: number;
  /** What is said under the call. */
  readonly remark: string;
  /** What it answers: with another one, no token is chosen. */
  readonly subject: string;
}

/** The panels. As long as no token is chosen, the first one that was overruled is looked at. */
export function Results({ response, size, remark, subject }: ResultsProps) {
  const [looked, look] = useState<number | null>(null);
  useEffect(() => look(null), [subject]);
  const { tokens, events, message, report } = response;
  const notes = [...report, ...(message?.repaired ?? []).map(({ detail }) => detail)];
  const overruled = tokens.findIndex(({ kind }) => kind === 'overruled');
  const selected = Math.min(looked ?? Math.max(0, overruled), Math.max(0, tokens.length - 1));
  return (
    <div class="results">
      <section class="panel" aria-labelledby="writes-title">
        <h2 id="writes-title">What it writes</h2>
        <ul class="legend">
          {(Object.keys(kinds) as TokenKind[]).map((kind) => (
            <li key={kind} class={`token ${kind}`}>
              {kinds[kind]}
            </li>
          ))}
        </ul>
        <Tokens tokens={tokens} selected={selected} onSelect={look} />
        <p class="counts" role="status">
          {message === null ? '' : countsOf(response)}
        </p>
      </section>
      <section class="panel" aria-labelledby="mask-title">
        <h2 id="mask-title">The mask at one token</h2>
        <MaskAt token={tokens[selected]} size={size} />
      </section>
      <section class="panel" aria-labelledby="call-title">
        <h2 id="call-title">The typed call</h2>
        <Outcome message={message} />
        <p class="dim">{remark}</p>
        {notes.length === 0 ? null : (
          <ul>
            {notes.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        )}
      </section>
      <details class="panel events">
        <summary>The events ({events.length})</summary>
        <pre>{events.map((event) => JSON.stringify(event)).join('\n')}</pre>
      </details>
    </div>
  );
}

function Outcome({ message }: { readonly message: ResponseMessage | null }) {
  if (message === null) return <p class="dim">…</p>;
  const { tool_calls: calls = [], content } = message;
  const shown = calls.map(({ function: { name, arguments: text } }) => ({
    name,
    arguments: JSON.parse(text),
  }));
  if (shown.length === 0)
    return <p>No call. It says: {content === null || content === '' ? 'nothing' : `“${content}”`}</p>;
  return <pre class="call">{shown.map((call) => JSON.stringify(call, null, 2)).join('\n')}</pre>;
}

function countsOf({ tokens }: ResponseState): string {
  const count = (wanted: readonly TokenKind[]) => tokens.filter(({ kind }) => wanted.includes(kind)).length;
  const drawn = count(['free', 'masked', 'overruled']);
  return `${tokens.length} tokens: ${drawn} sampled, ${count(['forced'])} forced, ${count(['overruled'])} overruled`;
}
