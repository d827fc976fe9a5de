/** Texts by the parts that they are made of. */
import type { SampleSpan } from '../../../src/cli/sample-response.ts';

const names: ReadonlyMap<string, string> = new Map([
  ['marker', 'marker'],
  ['reasoning-delta', 'reasoning'],
  ['text-delta', 'content'],
  ['tool-input-start', 'tool'],
  ['tool-input-delta', 'arguments'],
  ['malformed', 'malformed'],
]);

/** Which look is which part. */
export function Legend() {
  return (
    <ul class="legend" aria-label="What the styles mean">
      {[...names].map(([type, name]) => (
        <li key={type}>
          <span class={`span ${type}`}>{name}</span>
        </li>
      ))}
    </ul>
  );
}

/** A response; each part names itself where the pointer rests. */
export function Spans({ spans }: { readonly spans: readonly SampleSpan[] }) {
  return (
    <>
      {spans.map(({ type, text }, index) => (
        <span key={`${index}`} class={`span ${type ?? 'other'}`} title={names.get(type ?? '') ?? type ?? ''}>
          {text}
        </span>
      ))}
    </>
  );
}
