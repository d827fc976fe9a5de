/**
 * Where the markers of a layout lead: the state after each, and under which conditions it is recognised. Parser
 * states are derived from this plan.
 */
import type { CallOpener } from '../layout/call-notation.ts';
import { Marker } from '../layout/marker.ts';
import type { CallsLayout, TurnLayout } from '../layout/turn-layout.ts';
import { closingState, openingState } from './call-states.ts';
import { choicesOf, distinct, type MarkerChoice, type StateName } from './states.ts';

/** All markers, and where they lead. A list is empty if the format has no such marker. */
export type MarkerPlan = Readonly<ReturnType<typeof markerPlan>>;

/** The markers of a turn, except those of its calls. */
type TurnPlan = Readonly<ReturnType<typeof planTurn>>;

/** The markers of calls. */
export type CallPlan = Readonly<ReturnType<typeof planCalls>>;

/** The plan of a layout. */
export function markerPlan(layout: TurnLayout) {
  const turn = planTurn(layout);
  const calls = layout.calls === null ? null : planCalls(layout.calls, turn);
  return {
    ...turn,
    /** `null` if the format has no calls. */
    calls,
    /** Openers of a call in the middle of text. */
    callsInText: calls?.inText ?? [],
    /** What may come where a region may begin, except reasoning. */
    regions: [...(calls?.atRegion ?? []), ...turn.contentStart, ...turn.turnEnds],
  };
}

/**
 * Where every region has a header (`headed`), one text may end any region, and headers open thoughts: choices for an
 * opener or an end of thoughts elsewhere are left out.
 */
function planTurn(layout: TurnLayout) {
  const { start, lead, reasoning, content, results } = layout;
  const ends = reasoning === null ? [] : [reasoning.end];
  const afterThoughts = reasoning?.restarts ? 'betweenTurns' : 'afterReasoning';
  const reasoningEnd = choicesOf('reasoningEnd', ends, afterThoughts);
  const thoughts = reasoning === null ? [] : [reasoning.open];
  return {
    layout,
    /**
     * Beginnings of a region's header; they end a turn that was not closed. The role makes the report speak of a
     * region, not of a call.
     */
    headerStart: choicesOf('headerStart', layout.header?.beginnings ?? [], 'atTurnStart', {
      peek: true,
      role: 'thought',
      repairs: 'unclosed',
    }),
    /** The beginning of the turn, in case it is repeated. */
    turnStart: choicesOf('turnStart', [start.isBlank ? '' : start.text + lead.text], 'atTurnStart'),
    /** The last marker of `turn.start`, repeated. */
    repeatedStart: choicesOf('repeatedStart', [layout.lastOfStart], 'atTurnStart'),
    /** Ends of the turn and, at the end of the text, ends whose last token was not delivered. */
    turnEnds: turnEnds(layout),
    reasoningStart: choicesOf('reasoningStart', thoughts, 'inReasoning', { role: 'thought' }),
    /** Openers of reasoning in the middle of an answer. */
    laterReasoning: laterReasoning(layout),
    reasoningEnd: reasoningEnd.map((choice) => ({ ...choice, role: 'thought' as const })),
    /** An end of reasoning where none was opened. */
    strayReasoningEnd: reasoningEnd.map((choice) => ({ ...choice, name: 'strayReasoningEnd' })),
    /** The end of thoughts once more, right after it; a phrase may begin an answer. */
    repeatedEnd: reasoningEnd
      .filter(() => !layout.headed && layout.reasoning?.end.isSignificant)
      .map((choice) => ({
        ...choice,
        name: 'repeatedReasoningEnd',
        repairs: 'thoughts-again' as const,
        afterOwnMarker: true as const,
      })),
    /** The texts for absent reasoning, if they do not begin with a marker of thoughts. */
    emptyReasoning: choicesOf('emptyReasoning', emptyReasoning(layout), 'afterReasoning'),
    /** The end of thoughts right after a call: none are open, so it is skipped. */
    lateReasoningEnd: layout.headed
      ? []
      : choicesOf(
          'lateReasoningEnd',
          ends.filter((end) => end.isSignificant).map(({ core }) => core),
          'afterCall',
          {
            passes: true,
            role: 'thought',
            repairs: 'special-token',
          },
        ),
    /** Openers of content that has markers of its own. */
    contentStart: content.wrappers.flatMap(({ open, place }) =>
      place === 'content'
        ? choicesOf('contentStart', [open], 'inContent')
        : choicesOf('contentStartWithCalls', [open], 'inContentWithCalls'),
    ),
    /** Beginnings of a tool's result. After calls, they end the turn. */
    resultStart: choicesOf('resultStart', results.open, 'turnEnded'),
    /** Markers of results, and ends of thoughts, that do not occur in prose. In an answer they are skipped. */
    strayMarkers: strayMarkers(layout),
  };
}

function turnEnds({ breaks, ends, cutEnds, restarts: turnRestarts }: TurnLayout): readonly MarkerChoice[] {
  const next: StateName = turnRestarts ? 'betweenTurns' : 'turnEnded';
  return [
    ...choicesOf('turnBreak', breaks, next),
    ...choicesOf('turnEnd', ends, next),
    ...choicesOf('turnEndCut', cutEnds, next, { onlyAtEnd: true }),
  ];
}

/** Prose may mention a tag of a plain word, so in an answer it counts only as a special token. */
function laterReasoning({ headed, reasoning }: TurnLayout): readonly MarkerChoice[] {
  if (headed || reasoning?.open.isSignificant !== true) return [];
  const condition = /^<[\w:-]+>/.test(reasoning.open.core) ? { onlyAsSpecialToken: true as const } : {};
  return choicesOf('laterReasoning', [reasoning.open], 'inReasoning', { role: 'thought', ...condition });
}

/**
 * Markers that mean nothing in an answer: those of results with the bars of special tokens, in ASCII or full width, and
 * ends of thoughts, which prose may mention unless they have bars, too. None that begins an end of the turn.
 */
function strayMarkers({ results, reasoning, ends, headed }: TurnLayout): readonly MarkerChoice[] {
  const hasBars = ({ core }: Marker) => /^<[|｜]|[|｜]>$/.test(core);
  const stray = (markers: readonly Marker[], conditions: Omit<MarkerChoice, 'name' | 'marker' | 'next'>) => {
    const others = markers.filter(({ core }) => !ends.some((end) => end.core.startsWith(core)));
    return choicesOf('strayMarker', others, 'inAnswer', { passes: true, ...conditions });
  };
  const end = reasoning === null ? [] : [new Marker(reasoning.end.core)];
  const mentioned = end.filter((marker) => !headed && marker.isSignificant && !hasBars(marker));
  return [
    ...stray([...results.open, ...results.close].filter(hasBars), { repairs: 'result-marker' }),
    ...stray(end.filter(hasBars), { repairs: 'special-token' }),
    ...stray(mentioned, {
      repairs: 'special-token',
      role: 'thought',
      unlessMentioned: reasoning?.open.core ?? '',
    }),
  ];
}

/** The texts for absent thoughts, unless they begin with a marker of thoughts. */
function emptyReasoning({ reasoning }: TurnLayout): readonly Marker[] {
  if (reasoning === null) return [];
  const { open, end, empty, emptyWithCalls } = reasoning;
  const known = [open, end].filter(({ isBlank }) => !isBlank);
  return [empty, emptyWithCalls].filter(({ core }) => !known.some((marker) => core.startsWith(marker.core)));
}

function planCalls(layout: CallsLayout, turn: TurnPlan) {
  const choices = (openers: readonly CallOpener[]) => openers.map((opener) => choiceOf(layout, opener));
  const atRegion = choices(layout.atRegion);
  const sectionEnds = choicesOf('callsClose', layout.sectionEnds, 'afterCalls');
  return {
    layout,
    /** Openers of a call in the middle of text. */
    inText: choices(layout.inText),
    /** Openers of a call where a region may begin. */
    atRegion,
    /** Possible JSON calls in text; only the end of the turn decides. */
    speculative: choices(layout.speculative).map((choice) => ({ ...choice, next: 'maybeCalls' })),
    /** Closers of the call, from the one at `from` of its closing on. */
    closers: (from: number) =>
      layout.closing.flatMap((part, at) =>
        at < from || 'hole' in part ? [] : choicesOf('callClose', [part], closingState(layout, at + 1)),
      ),
    sectionEnds,
    /** What may follow a call: another call, the end of the section, other regions, the end of the turn. */
    following: distinct([
      ...choices(layout.separators),
      ...sectionEnds,
      ...choices(layout.another),
      ...turn.turnStart,
      ...atRegion,
      ...turn.contentStart,
      ...turn.turnEnds,
      ...turn.resultStart,
    ]),
  };
}

function choiceOf(layout: CallsLayout, { marker, read, ...opener }: CallOpener): MarkerChoice {
  const { name, ...conditions } = opener;
  return { name, marker: marker.text, next: openingState(layout, read), role: 'call', ...conditions };
}
