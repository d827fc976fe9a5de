/** What was said. */
import { useEffect, useRef } from 'preact/hooks';
import type { ModelTurn, Turn } from '../core/conversation.ts';
import { CallCard } from './call-card.tsx';

/** The turns; the last one is kept in view. */
export function Transcript({
  turns,
  onResult,
}: {
  readonly turns: readonly Turn[];
  readonly onResult: (callId: string, result: string) => void;
}) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (turns.length > 0) end.current?.scrollIntoView({ block: 'nearest' });
  }, [turns]);
  return (
    <div class="transcript" role="log" aria-label="Messages">
      {turns.length === 0 && (
        <p class="hint">Say something. With tools, calls are shown as they are written.</p>
      )}
      {turns.map((turn, index) =>
        turn.role === 'user' ? (
          <article key={index} class="turn user" aria-label="You">
            <p class="text">{turn.text}</p>
          </article>
        ) : (
          <Answer key={index} turn={turn} isLast={index === turns.length - 1} onResult={onResult} />
        ),
      )}
      <div ref={end} />
    </div>
  );
}

function Answer({
  turn,
  isLast,
  onResult,
}: {
  readonly turn: ModelTurn;
  readonly isLast: boolean;
  readonly onResult: (callId: string, result: string) => void;
}) {
  const { thoughts, text, calls, state, problem, malformed } = turn;
  const isWriting = state !== 'ended';
  return (
    <article class="turn model" aria-label="The model" aria-busy={isWriting} data-state={state}>
      {thoughts !== '' && (
        <details class="thoughts">
          <summary>{isWriting && text === '' && calls.length === 0 ? 'Thinks …' : 'Thoughts'}</summary>
          <p class="text">{thoughts}</p>
        </details>
      )}
      {text !== '' && <p class="text">{text}</p>}
      {calls.map((call) => (
        <CallCard
          key={call.id}
          call={call}
          isWritten={!isWriting}
          onResult={
            isLast && !isWriting && call.result === null ? (result) => onResult(call.id, result) : null
          }
        />
      ))}
      {state === 'waits' && <p class="hint">Waits …</p>}
      {malformed.map((part, index) => (
        <div key={index} class="problem">
          This fits the model's format nowhere: <code>{part}</code>
        </div>
      ))}
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {!isWriting && <Footer turn={turn} />}
    </article>
  );
}

const endings: ReadonlyMap<string, string> = new Map([
  ['length', 'cut at the limit of tokens'],
  ['stopped', 'stopped'],
]);

function Footer({ turn: { finish, cost } }: { readonly turn: ModelTurn }) {
  const ending = endings.get(finish ?? '');
  const figures =
    cost === null ? undefined : `${cost.prompt} tokens (${cost.cached} cached) → ${cost.completion} tokens`;
  const said = [ending, figures].filter((each) => each !== undefined);
  return said.length === 0 ? null : <footer>{said.join(', ')}</footer>;
}
