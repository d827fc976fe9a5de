/** What came of a response: where the parser stands, its events, the message. */
import { useEffect, useRef } from 'preact/hooks';
import type { AllowedText, EventRow } from '../core/read-response.ts';
import type { ShownReading } from '../core/shown-reading.ts';
import { scrolling } from './scrolling.ts';

/** The parser's state, what is malformed, and what the grammar allows next. */
export function Standing({
  reading: { position, allowed, malformed, malformedCount },
  at,
}: {
  readonly reading: ShownReading;
  readonly at: number;
}) {
  return (
    <dl class="standing">
      <dt>state</dt>
      <dd>
        <code>{position.state}</code> ({position.region})
      </dd>
      {malformedCount === 0 ? null : (
        <>
          <dt>malformed</dt>
          <dd>
            {malformed.map(({ start, note }) => (
              <p key={start} class="problem">
                at {start}: {note}
              </p>
            ))}
            {malformedCount > malformed.length ? `and ${malformedCount - malformed.length} more` : null}
          </dd>
        </>
      )}
      <dt>
        <code>required</code> allows
      </dt>
      <dd class="allowed">
        <Allowed allowed={allowed} at={at} />
      </dd>
    </dl>
  );
}

function Allowed({ allowed, at }: { readonly allowed: AllowedText; readonly at: number }) {
  const { problem, length, forced, characters, complete } = allowed;
  if (problem !== undefined) return <>{problem}</>;
  return (
    <>
      {length < at ? `the first ${length} of these ${at} characters, and then ` : 'all of this, and then '}
      {forced === '' ? (
        characters.map((each) => <kbd key={each}>{each}</kbd>)
      ) : (
        <>
          only <kbd>{forced}</kbd>
        </>
      )}
      {complete ? <kbd>the end</kbd> : null}
    </>
  );
}

/** Events and message; `following` keeps the last event in sight. */
export function Results({
  reading: { rows, eventCount, message },
  following,
}: {
  readonly reading: ShownReading;
  readonly following: boolean;
}) {
  const list = useRef<HTMLDivElement>(null);
  const shown = rows.reduce((sum, { count }) => sum + count, 0);
  useEffect(() => {
    if (following && list.current !== null) list.current.scrollTop = list.current.scrollHeight;
  }, [following, eventCount]);
  return (
    <div class="results">
      <section>
        <h3>
          {eventCount} events{shown < eventCount ? `, the last ${shown}` : ''}
        </h3>
        <div class="events" ref={list} {...scrolling('Events')}>
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
          {message}
        </pre>
      </section>
    </div>
  );
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
      <span class="detail">
        <span class={`span ${type}`}>{detail.replaceAll('\n', '↵')}</span>
      </span>
    </li>
  );
}
