/** The format field by field, each with the renders that told. */
import { useMemo, useState } from 'preact/hooks';
import type { Evidence } from '../../../src/analysis/evidence.ts';
import { fieldsOf } from '../core/compare-formats.ts';
import type { Inspection } from '../core/inspect-template.ts';
import { scrolling } from './scrolling.ts';
import { TwoTexts } from './two-texts.tsx';

interface Row {
  readonly path: string;
  readonly value: string;
  readonly evidence: readonly Evidence[];
}

/** The fields with evidence of their own, or of the part that they belong to. */
function rowsOf({ analysis: { format, evidence } }: Inspection): readonly Row[] {
  const shown = fieldsOf(format).filter(
    ({ path }) => !/^(version|templateSha256|labels|capabilities)/.test(path),
  );
  return shown.map(({ path, value }) => ({
    path,
    value,
    evidence: evidence.filter(({ field }) => field === path || path.startsWith(`${field}.`)),
  }));
}

/** The table of the fields, and the renders of the one that is looked at. */
export function Fields({ inspection }: { readonly inspection: Inspection }) {
  const rows = useMemo(() => rowsOf(inspection), [inspection]);
  const [chosen, choose] = useState<string | null>(null);
  const [hovered, hover] = useState<string | null>(null);
  const move = (event: KeyboardEvent, index: number) => {
    const target = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const list = (event.currentTarget as HTMLElement).closest('ul');
    list?.querySelectorAll<HTMLElement>('.row')[Math.min(Math.max(target, 0), rows.length - 1)]?.focus();
  };
  const active = rows.find(({ path }) => path === (hovered ?? chosen)) ?? tellingRow(rows);
  return (
    <>
      <p class="hint">
        Each field follows from renders of made-up conversations: point at one to see the slice that told.
        Words such as <code>qzxfna1zq</code> were put into the conversations to be found again.
      </p>
      <div class="fields">
        <ul class="rows" aria-label="Fields of the format">
          {rows.map((row, index) => (
            <li key={row.path}>
              <button
                type="button"
                class="row"
                aria-pressed={row.path === active?.path}
                // One stop for Tab; the arrow keys move in the list.
                tabIndex={row === (rows.find(({ path }) => path === chosen) ?? rows[0]) ? 0 : -1}
                onKeyDown={(event) => move(event, index)}
                onClick={() => choose(row.path)}
                onMouseEnter={() => hover(row.path)}
                onMouseLeave={() => hover(null)}
                onFocus={() => choose(row.path)}
              >
                <span class="path">{row.path}</span>
                <code>{row.value}</code>
                <span class="reason">{row.evidence[0]?.reason ?? ''}</span>
              </button>
            </li>
          ))}
        </ul>
        <div class="evidence" {...scrolling('Evidence')}>
          {active === undefined ? null : <FieldEvidence row={active} inspection={inspection} />}
        </div>
      </div>
    </>
  );
}

/** The row that is shown first: of calls, which formats differ in most. */
function tellingRow(rows: readonly Row[]): Row | undefined {
  const withEvidence = rows.filter(({ evidence }) => evidence.length > 0);
  return withEvidence.find(({ path }) => path.startsWith('calls.section')) ?? withEvidence[0];
}

function FieldEvidence({ row, inspection }: { readonly row: Row; readonly inspection: Inspection }) {
  if (row.evidence.length === 0) {
    return (
      <p>
        <strong>{row.path}</strong> follows from the other fields.
      </p>
    );
  }
  return (
    <>
      {row.evidence.slice(0, 4).map((each) => (
        <section key={`${each.probe}${each.reason}`}>
          <h3>
            {row.path}: {each.reason} <span class="basis">({each.basis})</span>
          </h3>
          <Renders evidence={each} inspection={inspection} />
        </section>
      ))}
    </>
  );
}

/** Prompts are compared with each other, finished turns with the conversation that has none. */
const partners: ReadonlyMap<string, string> = new Map([
  ['prompt-on', 'prompt-off'],
  ['prompt-off', 'prompt-on'],
]);

/** The render in which the slice stands, next to the one that differs in what was asked. */
function Renders({ evidence, inspection }: { readonly evidence: Evidence; readonly inspection: Inspection }) {
  const { probe, slice } = evidence;
  const partner = partners.get(probe) ?? 'user';
  const [render, other] = [inspection.renders.get(probe), inspection.renders.get(partner)];
  if (render === undefined || other === undefined || probe === partner) {
    return (
      <figure>
        <figcaption>probe {probe}</figcaption>
        <pre>{slice === '' ? render : <mark>{slice}</mark>}</pre>
      </figure>
    );
  }
  const caption = partner === 'user' ? 'the same without an answer' : `render of the probe ${partner}`;
  return (
    <TwoTexts
      one={{ caption: `render of the probe ${probe}`, text: render }}
      other={{ caption, text: other }}
      slice={slice}
    />
  );
}
