/** One call: its arguments with their types, and the place for its result. */
import { useState } from 'preact/hooks';
import type { ShownCall } from '../core/conversation.ts';

/** `onResult` is `null` where no result is waited for. */
export function CallCard({
  call,
  isWritten,
  onResult,
}: {
  readonly call: ShownCall;
  readonly isWritten: boolean;
  readonly onResult: ((result: string) => void) | null;
}) {
  return (
    <section class="call" aria-label={`Call of ${call.name}`}>
      <h3>
        <span class="kind">call</span> <code>{call.name}</code>
      </h3>
      {isWritten ? <Arguments text={call.arguments} /> : <pre>{call.arguments}</pre>}
      {call.result !== null && (
        <div class="result">
          <h4>Result</h4>
          <pre>{call.result}</pre>
        </div>
      )}
      {onResult !== null && <ResultField name={call.name} onResult={onResult} />}
    </section>
  );
}

function Arguments({ text }: { readonly text: string }) {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return <pre>{text}</pre>;
  const entries = Object.entries(value);
  if (entries.length === 0) return <p class="hint">without arguments</p>;
  return (
    <dl>
      {entries.map(([name, each]) => (
        <div key={name}>
          <dt>
            <code>{name}</code> <span class="type">{typeName(each)}</span>
          </dt>
          <dd>
            <pre>{typeof each === 'string' ? each : JSON.stringify(each, null, 2)}</pre>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** As JSON Schema calls it. */
function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

function ResultField({
  name,
  onResult,
}: {
  readonly name: string;
  readonly onResult: (result: string) => void;
}) {
  const [text, setText] = useState('');
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault();
        onResult(text);
      }}
    >
      <label>
        <span>Result of {name}</span>
        <textarea
          rows={2}
          class="code"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <button type="submit">Give it to the model</button>
    </form>
  );
}
