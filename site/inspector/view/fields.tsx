/** The format field by field, each with the renders that told. */
import { useMemo, useState } from 'preact/hooks';
import type { Evidence } from '../../../src/analysis/evidence.ts';
import { fieldsOf } from '../core/compare-formats.ts';
import type { Inspection } from '../core/inspect-template.ts';
import { scrolling } from './scrolling.ts';

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
  const active = rows.find(({ path }) => path === (hovered ?? chosen)) ?? rows.find(hasEvidence);
  return (
    <div class="fields">
      <ul class="rows" aria-label="Fields of the format">
        {rows.map((row) => (
          <li key={row.path}>
            <button
              type="button"
              class="row"
              aria-pressed={row.path === active?.path}
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
  );
}

function hasEvidence({ evidence }: Row): boolean {
  return evidence.length > 0;
}

function FieldEvidence({ row, inspection }: { readonly row: Row; readonly inspection: Inspection }) {
  if (!hasEvidence(row)) {
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
            {row.path}: {each.reason}
          </h3>
          <Renders evidence={each} inspection={inspection} />
        </section>
      ))}
    </>
  );
}

/** The render in which the slice stands, next to the one without an answer. */
function Renders({ evidence, inspection }: { readonly evidence: Evidence; readonly inspection: Inspection }) {
  const { probe, slice } = evidence;
  const render = inspection.renders.get(probe);
  if (render === undefined) {
    return (
      <figure>
        <figcaption>probe {probe}</figcaption>
        <pre>
          <mark>{slice}</mark>
        </pre>
      </figure>
    );
  }
  return (
    <div class="renders">
      <figure>
        <figcaption>render of the probe {probe}</figcaption>
        <pre {...scrolling('Render of the probe')}>{marked(render, slice)}</pre>
      </figure>
      {inspection.unanswered === null || probe === 'user' ? null : (
        <figure>
          <figcaption>the same without an answer</figcaption>
          <pre {...scrolling('Render without an answer')}>{inspection.unanswered}</pre>
        </figure>
      )}
    </div>
  );
}

/** The last place of the slice, with what stands around it. */
function marked(render: string, slice: string) {
  const wanted = slice.endsWith('…') && !render.includes(slice) ? slice.slice(0, -1) : slice;
  const at = wanted === '' ? -1 : render.lastIndexOf(wanted);
  if (at < 0) return render;
  return (
    <>
      {render.slice(0, at)}
      <mark ref={showMark}>{wanted}</mark>
      {render.slice(at + wanted.length)}
    </>
  );
}

/** The mark comes to the middle of its render, without the page moving. */
function showMark(mark: HTMLElement | null): void {
  const pre = mark?.closest('pre');
  if (mark === null || pre === null || pre === undefined) return;
  pre.scrollTop += mark.getBoundingClientRect().top - pre.getBoundingClientRect().top - pre.clientHeight / 2;
}
