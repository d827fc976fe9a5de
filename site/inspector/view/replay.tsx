/** A response written once more: a slider, and a button that moves it. */
import { useEffect, useState } from 'preact/hooks';

/** Where the replay stands. */
export interface ReplayProps {
  readonly at: number;
  readonly length: number;
  /** Gets the new place; `null` at the end. */
  readonly onMove: (at: number | null) => void;
}

/** A step every so many milliseconds, and the most steps of a whole text. */
const pace = 40;
const mostSteps = 300;

/** The slider and the button. */
export function Replay({ at, length, onMove }: ReplayProps) {
  const [playing, play] = useState(false);
  useEffect(() => {
    if (!playing) return;
    const timer = setTimeout(() => {
      const next = at + Math.max(1, Math.ceil(length / mostSteps));
      if (next >= length) play(false);
      onMove(next >= length ? null : next);
    }, pace);
    return () => clearTimeout(timer);
  }, [playing, at, length]);
  return (
    <div class="replay">
      <button
        type="button"
        onClick={() => {
          if (!playing && at >= length) onMove(0);
          play(!playing);
        }}
      >
        <span aria-hidden="true">{playing ? '❚❚' : '▶'}</span> {playing ? 'Pause' : 'Replay'}
      </button>
      <input
        type="range"
        aria-label="Place of the replay"
        min={0}
        max={length}
        value={at}
        onInput={({ currentTarget }) => {
          play(false);
          onMove(Number(currentTarget.value));
        }}
      />
      <output>
        {at} of {length}
      </output>
    </div>
  );
}
