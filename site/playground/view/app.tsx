/** The playground: a form, what the model writes, and why. */
import { useEffect, useState } from 'preact/hooks';
import type { ResponseMessage } from '../../../src/parser/events.ts';
import type { TokenKind } from '../core/respond.ts';
import { type Settings, writeFragment } from '../core/settings.ts';
import { Form } from './form.tsx';
import { kinds, MaskAt, Tokens } from './tokens.tsx';
import { type ResponseState, useResponse } from './use-response.ts';

/** Tokens of the toy. */
const size = 912;

/** The whole page. */
export function App({ first }: { readonly first: Settings }) {
  const [settings, setSettings] = useState(first);
  const [seed, setSeed] = useState(1);
  const [looked, look] = useState<number | null>(null);
  const response = useResponse(settings, seed);
  const { tokens, message, problem } = response;
  useEffect(() => {
    history.replaceState(null, '', `#${writeFragment(settings)}`);
    look(null);
  }, [settings, seed]);
  const overruled = tokens.findIndex(({ kind }) => kind === 'overruled');
  const selected = Math.min(looked ?? Math.max(0, overruled), Math.max(0, tokens.length - 1));
  const state = problem !== null ? 'failed' : message === null ? 'busy' : 'ready';
  return (
    <div class="app" data-state={state}>
      <header>
        <h1>
          A model of two megabytes calls your tool, <span>in this page</span>
        </h1>
        <p>
          Model, tokenizer and grammar are plain JavaScript in this tab. Change the schema, and the mask
          follows.
        </p>
      </header>
      <main>
        <Form
          settings={settings}
          problem={problem}
          onChange={setSettings}
          onAgain={() => setSeed(seed + 1)}
        />
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
            <p class="dim">
              The schema decides what is valid, not what is right: a model that wants Paris, and may not write
              it, writes another city.
            </p>
            {response.report.length === 0 ? null : (
              <ul>
                {response.report.map((each) => (
                  <li key={each}>{each}</li>
                ))}
              </ul>
            )}
          </section>
          <details class="panel events">
            <summary>The events ({response.events.length})</summary>
            <pre>{response.events.map((event) => JSON.stringify(event)).join('\n')}</pre>
          </details>
        </div>
      </main>
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
