/**
 * Thoughts that neither a prompt nor a message shows, but that finished turns drop from an answer: an answer is given
 * with markers in it, and the template renders it without the text before or between them.
 */
import { isMarker, tokens } from '../literals/tokens.ts';
import type { Probe } from '../probes/probes.ts';
import type { Probing } from '../probes/probing.ts';

/** Two markers. A finished turn drops the text of an answer between them, or before the second. */
interface DroppedThoughts {
  readonly open: string;
  readonly close: string;
}

/** More markers than this are not tried; templates have about a dozen. */
const maxMarkers = 60;

/** All pairs are tried of this many markers that a template treats specially. */
const maxTreated = 4;

/** Finds the markers of dropped thoughts; `null` if nothing is dropped. */
export function findDroppedThoughts(probing: Probing): DroppedThoughts | null {
  const treated = treatedMarkers(probing);
  const closer = treated.find((each) => each.includes('/') && dropsThoughts(probing, '', each));
  if (closer !== undefined) return recorded(probing, { open: closer.replace('/', ''), close: closer });
  const few = treated.slice(0, maxTreated);
  const pairs = few.flatMap((open) => few.filter((each) => each !== open).map((close) => ({ open, close })));
  const found = pairs.find(({ open, close }) => dropsThoughts(probing, open, close));
  if (found === undefined) return null;
  const message =
    `answers lose what stands between ${found.open} and ${found.close}, and no render shows thoughts between ` +
    'them: a word that the model writes after the opener would be taken for thoughts';
  probing.log.warn({ field: 'reasoning.start', kind: 'assumed', message });
  return recorded(probing, found);
}

/** Some templates keep in the last answer what they drop from earlier ones, or from calls with a result. */
function positionsOf({ probes }: Probing): readonly Partial<Probe>[] {
  const { id: _, ...withResult } = probes.callThenTool;
  return [{}, { followedBy: 'exchange' }, withResult];
}

/** Whether a finished turn, the last or an earlier one, keeps only what follows `close` in an answer. */
export function dropsThoughts(probing: Probing, open: string, close: string): boolean {
  return droppingTurn(probing, { open, close }) !== null;
}

/** A finished turn that keeps only what follows `close` in an answer. */
function droppingTurn(probing: Probing, { open, close }: DroppedThoughts): string | null {
  const { prober } = probing;
  const { content, reasoning } = prober.sentinels;
  const guess = { id: 'guessed-closer', content: `${open}${reasoning}${close}${content}` };
  const turns = positionsOf(probing).map((position) => prober.turn({ ...guess, ...position }));
  return turns.find((turn) => turn?.includes(content) === true && !turn.includes(reasoning)) ?? null;
}

function recorded(probing: Probing, found: DroppedThoughts): DroppedThoughts {
  const turn = droppingTurn(probing, found) ?? '';
  probing.log.support('reasoning.basis', 'guessed-closer', turn, `an answer loses what ${found.close} ends`);
  return found;
}

/** Markers in the template's source, except those of calls, that change how an answer with them is rendered. */
function treatedMarkers(probing: Probing): readonly string[] {
  const { template, prober, probes } = probing;
  const { content } = prober.sentinels;
  const call = prober.turn(probes.oneCall) ?? '';
  const own = tokens(template.source).filter((each) => isMarker(each) && !/[\s'"{}]/u.test(each));
  const markers = [...new Set(own)].filter((each) => !call.includes(each)).slice(0, maxMarkers);
  const isKept = (text: string) =>
    positionsOf(probing).every(
      (position) =>
        prober.turn({ id: 'guessed-closer', content: text, ...position })?.includes(text) !== false,
    );
  const around = (each: readonly string[]) => content + each.map((marker) => marker + content).join('');
  if (isKept(around(markers))) return [];
  return markers.filter((marker) => !isKept(around([marker])));
}
