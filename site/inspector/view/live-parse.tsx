/** A response that is typed or replayed, and what the parser makes of it. */
import type { EditorView } from '@codemirror/view';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { Tool } from '../../../src/format/messages.ts';
import type { EventRow, Reading } from '../core/read-response.ts';
import type { WorkerClient } from '../core/worker-client.ts';
import { Editor } from './editor.tsx';
import { outputMarks, setMarks } from './output-marks.ts';
import { scrolling } from './scrolling.ts';

/** What is read, and how. */
export interface LiveParseProps {
  readonly format: ChatFormat;
  readonly tools: readonly Tool[];
  /** What the conversation's prompt wrote of the turn. */
  readonly generationPrompt: string;
  readonly output: string;
  readonly onOutput: (output: string) => void;
  readonly client: WorkerClient;
}

/** The editor with its regions, the slider, and what came of the text so far. */
export function LiveParse({ format, tools, generationPrompt, output, onOutput, client }: LiveParseProps) {
  const view = useRef<EditorView>(null);
  const [replay, setReplay] = useState<number | null>(null);
  const [opened, setOpened] = useState(false);
  const [reading, setReading] = useState<Reading | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const at = Math.min(replay ?? output.length, output.length);

  useEffect(() => {
    let stale = false;
    const request = { text: output, at, tools, generationPrompt: opened ? generationPrompt : null };
    client.ask('read', { format, request }).then(
      (answer) => {
        if (answer === null || stale) return;
        setProblem(null);
        setReading(answer);
        view.current?.dispatch({ effects: setMarks.of({ spans: answer.spans, at }) });
      },
      (error: Error) => setProblem(error.message),
    );
    return () => {
      stale = true;
    };
  }, [format, tools, output, at, opened, generationPrompt, client]);

  return (
    <div class="live" data-ready={reading !== null}>
      <div>
        <Editor
          label="Raw output of the model"
          value={output}
          onChange={(text) => {
            setReplay(null);
            onOutput(text);
          }}
          extensions={[outputMarks]}
          onView={(made) => {
            view.current = made;
          }}
        />
        <label class="replay">
          Replay
          <input
            type="range"
            min={0}
            max={output.length}
            value={at}
            onInput={({ currentTarget }) => setReplay(Number(currentTarget.value))}
          />
          <output>
            {at} of {output.length}
          </output>
        </label>
        <label>
          <input
            type="checkbox"
            checked={opened}
            onChange={({ currentTarget }) => setOpened(currentTarget.checked)}
          />{' '}
          the output goes on after the generation prompt above
        </label>
        {problem === null ? null : <p class="problem">{problem}</p>}
        {reading === null ? null : <Standing reading={reading} at={at} />}
      </div>
      {reading === null ? null : <Results reading={reading} />}
    </div>
  );
}

function Standing({
  reading: { position, allowed, spans },
  at,
}: {
  readonly reading: Reading;
  readonly at: number;
}) {
  const malformed = spans.filter(({ type }) => type === 'malformed');
  return (
    <dl class="standing">
      <dt>state</dt>
      <dd>
        <code>{position.state}</code> ({position.region})
      </dd>
      {malformed.map(({ start, note }) => (
        <>
          <dt>malformed</dt>
          <dd class="problem">
            at {start}: {note}
          </dd>
        </>
      ))}
      <dt>
        <code>required</code> allows
      </dt>
      <dd class="allowed">
        {allowed.problem ?? (allowed.length < at ? `the text up to ${allowed.length}, and there: ` : '')}
        {allowed.forced === '' ? null : (
          <>
            only <kbd>{allowed.forced}</kbd>
          </>
        )}
        {allowed.forced === '' ? allowed.characters.map((each) => <kbd key={each}>{each}</kbd>) : null}
        {allowed.complete ? <kbd>the end</kbd> : null}
      </dd>
    </dl>
  );
}

function Results({ reading }: { readonly reading: Reading }) {
  const { rows, eventCount, message } = reading;
  const shown = rows.reduce((sum, { count }) => sum + count, 0);
  return (
    <div class="results">
      <section>
        <h3>
          {eventCount} events{shown < eventCount ? `, the last ${shown}` : ''}
        </h3>
        <div class="events" {...scrolling('Events')}>
          <ol>
            {rows.map((row, index) => (
              <EventLine key={`${index}`} row={row} />
            ))}
          </ol>
        </div>
      </section>
      <section>
        <h3>The message so far</h3>
        <pre class="json" {...scrolling('The message so far')}>
          {JSON.stringify(message, shortened, 2)}
        </pre>
      </section>
    </div>
  );
}

/** Long texts are not worth a long page. */
function shortened(_key: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= 2000) return value;
  return `${value.slice(0, 2000)}… (${value.length} characters)`;
}

function EventLine({ row: { type, start, end, count, detail } }: { readonly row: EventRow }) {
  return (
    <li>
      <span class="type">
        {type}
        {count > 1 ? ` ×${count}` : ''}
      </span>
      <span class="place">
        {start}–{end}
      </span>
      <span class={`span ${type}`}>{detail}</span>
    </li>
  );
}
