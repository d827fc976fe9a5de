/**
 * Lowers a format to the states of its parser.
 *
 * A parser is more lenient than the format: white space at markers, missing openers where a known name
 * follows, missing ends, and calls before and after text are all read. It is therefore made from the
 * format itself and not from the grammar.
 */
import type { ChatFormat } from '../format/chat-format.ts';
import { moduleContractVersion } from '../parser/module-contract.ts';
import { sampleCall } from './call-samples.ts';
import {
  core,
  endChoices,
  headerEnd,
  isBlank,
  isHeaded,
  type MarkerChoice,
  openingChain,
  repeatedStartChoices,
  turnStartChoices,
  withoutRestart,
} from './format-markers.ts';
import { callStates } from './lower-calls.ts';
import { headerStates } from './lower-headers.ts';
import { openerChoices, speculativeOpener, speculativeTransitions } from './opener-choices.ts';
import { picture } from './pictures.ts';
import { contentOpeners, distinct, regionChoices } from './region-choices.ts';
import { afterTurn, stateAfterLink } from './state-names.ts';
import { isReference, type ParserProgram, type StateName, type StateSpec } from './states.ts';

/** The states of a format's parser, in reading order; only those that can be reached. */
export function lowerToStates(format: ChatFormat): ParserProgram {
  const states = [...turnStates(format), ...reasoningStates(format), ...contentStates(format)];
  const all = [...states, ...callStates(format), ...endStates(format)];
  return {
    contract: moduleContractVersion,
    templateSha256: format.templateSha256,
    turnStart: format.turn.start,
    lead: format.turn.lead ?? '',
    thoughtPrompt: opensThoughtByPrompt(format) ? format.turn.prompt.on : '',
    start: 'turnBegun',
    states: reachable(all, 'turnBegun'),
  };
}

/** Reasoning that nothing but its end marks: whether text is reasoning shows only at that end. */
function isDelimited(format: ChatFormat): boolean {
  return format.reasoning !== null && isBlank(format.reasoning.start) && !isBlank(format.reasoning.end);
}

function opensThoughtByPrompt(format: ChatFormat): boolean {
  return isDelimited(format) && !isBlank(format.turn.prompt.on);
}

function thoughtOpeners(format: ChatFormat): readonly MarkerChoice[] {
  const { reasoning } = format;
  if (reasoning === null || isBlank(reasoning.start)) return [];
  return [{ marker: reasoning.start, next: 'inReasoning', role: 'thought' }];
}

function thoughtClosers(format: ChatFormat): readonly MarkerChoice[] {
  const { reasoning, content } = format;
  if (reasoning === null) return [];
  const end = withoutRestart(format, reasoning.end);
  if (isBlank(end)) return [];
  const restarts = end !== reasoning.end;
  const gap = isBlank(content.afterReasoning ?? '') ? (content.afterReasoning ?? '') : '';
  const next = restarts ? 'betweenTurns' : 'afterReasoning';
  return [{ marker: restarts ? end : end + gap, next, role: 'thought' }];
}

/** The end of reasoning that never began: it says that there is none. */
function bareClosers(format: ChatFormat): readonly MarkerChoice[] {
  return thoughtClosers(format).map(({ marker, next }) => ({ marker, next }));
}

/** What stands for thoughts that are not there, where it is neither an empty block of them nor their end. */
function emptyThoughts(format: ChatFormat): readonly MarkerChoice[] {
  const { reasoning } = format;
  if (reasoning === null) return [];
  const known = [reasoning.start, withoutRestart(format, reasoning.end)]
    .map(core)
    .filter((each) => each !== '');
  const texts = [reasoning.empty, reasoning.emptyWithCalls ?? ''].filter(
    (text) => !isBlank(text) && !known.some((each) => core(text).startsWith(each)),
  );
  return texts.map((marker) => ({ marker, next: 'afterReasoning' }));
}

/** Where text at the beginning of a turn leads that no marker of the template begins. */
function afterTurnStart(format: ChatFormat): StateName {
  if (headerEnd(format) !== null) return 'inHeader';
  return isDelimited(format) ? 'perhapsReasoning' : 'inAnswer';
}

function turnStates(format: ChatFormat): readonly StateSpec[] {
  const headed = isHeaded(format);
  return [
    {
      name: 'turnBegun',
      title: 'At the beginning of the turn.',
      picture: picture(format.turn.start, '', samples.answer),
      step: {
        use: 'begin',
        table: {
          choices: distinct([
            ...turnStartChoices(format, 'turnBegun'),
            ...repeatedStartChoices(format, 'turnBegun'),
            ...thoughtOpeners(format),
            ...emptyThoughts(format),
            ...(headed || isDelimited(format) ? [] : bareClosers(format)),
            ...regionChoices(format),
          ]),
          otherwise: afterTurnStart(format),
        },
      },
    },
    ...headerStates(format),
  ];
}

const samples = {
  reasoning: 'The user wants the time.',
  answer: 'Let me look.',
};

function reasoningStates(format: ChatFormat): readonly StateSpec[] {
  const { reasoning } = format;
  if (reasoning === null) return [];
  const closers = thoughtClosers(format);
  const ends = endChoices(format, afterTurn(format));
  const ambiguous = ambiguousStops(format);
  return [
    {
      name: 'inReasoning',
      title: 'In the reasoning.',
      picture: picture(reasoning.start, samples.reasoning, reasoning.end),
      step: {
        use: 'readRegion',
        table: {
          region: 'reasoning',
          stops: distinct([...closers, ...ends, ...ambiguous]),
          ...(ambiguous.length === 0 ? {} : { doubt: 'isAmbiguous' }),
          mustClose: true,
        },
      },
    },
    {
      name: 'isAmbiguous',
      title: 'In the reasoning, at what may be a call, or a thought about one.',
      picture: picture(reasoning.start + samples.reasoning, sampleOfAmbiguity(format), reasoning.end),
      step: {
        use: 'readAmbiguous',
        table: { stops: closers, ends, resume: 'afterReasoning' },
      },
    },
    {
      name: 'perhapsReasoning',
      title: 'In text that is reasoning if its end comes.',
      picture: picture(format.turn.start, samples.reasoning, reasoning.end),
      step: {
        use: 'readAmbiguous',
        table: { stops: closers, ends, resume: 'afterReasoning', opened: 'inReasoning' },
      },
    },
    {
      name: 'afterReasoning',
      title: 'After the reasoning.',
      picture: picture(reasoning.end, '', samples.answer),
      step: {
        use: 'begin',
        table: {
          choices: distinct([...turnStartChoices(format, 'turnBegun'), ...regionChoices(format)]),
          otherwise: 'inAnswer',
        },
      },
    },
  ];
}

/** Calls and answers that seem to begin while reasoning is open. */
function ambiguousStops(format: ChatFormat): readonly MarkerChoice[] {
  if (isHeaded(format)) return [];
  const calls = openerChoices(format, { lead: '', inText: true });
  return [...calls, ...contentOpeners(format)].map((choice) => ({ ...choice, ambiguous: true as const }));
}

/** A call or, in formats without, an answer in its markers. */
function sampleOfAmbiguity({ calls, content }: ChatFormat): string {
  return calls === null ? content.open + samples.answer : calls.section.open + sampleCall(calls);
}

function sampleOpener(format: ChatFormat): string {
  const [first] = openerChoices(format, { lead: '', inText: true });
  return first?.marker ?? '';
}

function contentStates(format: ChatFormat): readonly StateSpec[] {
  const { open, close, withCalls } = format.content;
  const ends = endChoices(format, afterTurn(format));
  return [
    {
      name: 'inAnswer',
      title: 'In the answer.',
      picture: picture('', samples.answer, sampleOpener(format) || (format.turn.ends[0] ?? '')),
      step: {
        use: 'readRegion',
        table: {
          region: 'text',
          stops: distinct([...textOpeners(format), ...contentOpeners(format), ...ends]),
          ...(speculativeOpener(format) !== null ? { trial: 'perhapsCalls' } : {}),
        },
      },
    },
    ...speculativeStates(format, ends),
    ...wrappedContent(format, 'inContent', { open, close }, ends),
    ...(withCalls === null ? [] : wrappedContent(format, 'inContentWithCalls', withCalls, ends)),
    {
      name: 'afterContent',
      title: 'After the answer.',
      picture: picture(samples.answer + close, '', sampleOpener(format)),
      step: {
        use: 'begin',
        table: {
          choices: distinct([
            ...turnStartChoices(format, 'turnBegun'),
            ...thoughtOpeners(format),
            ...regionChoices(format),
          ]),
          otherwise: 'inAnswer',
        },
      },
    },
  ];
}

function textOpeners(format: ChatFormat): readonly MarkerChoice[] {
  const gap = withoutRestart(format, format.content.beforeCalls);
  const lead = isBlank(gap) ? gap : '';
  return [...openerChoices(format, { lead, inText: true }), ...speculativeTransitions(format, lead)];
}

function speculativeStates(format: ChatFormat, ends: readonly MarkerChoice[]): readonly StateSpec[] {
  const { calls } = format;
  if (calls === null || calls.envelope === null || speculativeOpener(format) === null) return [];
  return [
    {
      name: 'perhapsCalls',
      title: 'In what is calls if nothing else comes before the end of the turn.',
      picture: picture(
        samples.answer,
        calls.section.open + sampleCall(calls) + calls.section.close,
        format.turn.ends[0] ?? '',
      ),
      step: {
        use: 'readTrial',
        table: {
          paths: calls.envelope,
          list: openingChain(calls).length > 0,
          ends,
          next: stateAfterLink(format, 0),
          otherwise: 'inAnswer',
        },
      },
    },
  ];
}

function wrappedContent(
  format: ChatFormat,
  name: StateName,
  wrapper: { readonly open: string; readonly close: string },
  ends: readonly MarkerChoice[],
): readonly StateSpec[] {
  const close = withoutRestart(format, wrapper.close);
  const restarts = close !== wrapper.close;
  const closers = isBlank(close) ? [] : [{ marker: close, next: restarts ? 'betweenTurns' : 'afterContent' }];
  // Content without an end of its own, and no header that a call would need, ends where a call opens.
  const openers = closers.length === 0 && !isHeaded(format) ? textOpeners(format) : [];
  const mayStop = isBlank(close) || format.stops.some((stop) => core(stop) === core(close));
  return [
    {
      name,
      title: 'In the wrapped answer: only its own end counts.',
      picture: picture(wrapper.open, samples.answer, wrapper.close),
      step: {
        use: 'readRegion',
        table: {
          region: 'text',
          stops: distinct([...closers, ...openers, ...ends]),
          ...(openers.some(({ speculating }) => speculating) ? { trial: 'perhapsCalls' } : {}),
          ...(mayStop ? {} : { mustClose: true as const }),
        },
      },
    },
  ];
}

function endStates(format: ChatFormat): readonly StateSpec[] {
  const end = format.turn.ends[0] ?? '';
  return [
    {
      name: 'betweenTurns',
      title: 'Between two turns of one message.',
      picture: picture(end, '', format.turn.start),
      step: {
        use: 'begin',
        table: { choices: turnStartChoices(format, 'turnBegun'), otherwise: 'turnEnded' },
      },
    },
    {
      name: 'turnEnded',
      title: 'After the end of the turn, where nothing may follow but a belated call.',
      picture: picture(end, '', ''),
      step: {
        use: 'expect',
        table: {
          choices: openerChoices(format, { lead: '', inText: true }),
          recover: 'afterTurn',
          reason: 'text after the end of the turn',
        },
      },
    },
    {
      name: 'afterTurn',
      title: 'In stray text after the end of the turn.',
      picture: picture(end, samples.answer, ''),
      step: { use: 'recover', table: { choices: [] } },
    },
  ];
}

function reachable(states: readonly StateSpec[], start: StateName): readonly StateSpec[] {
  const byName = new Map(states.map((state) => [state.name, state]));
  const found = new Set<StateName>();
  const queue = [start];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    queue.push(...references(byName.get(name)?.step.table));
  }
  return states.filter(({ name }) => found.has(name));
}

/** Names of the states that a table refers to. */
function references(value: unknown): readonly StateName[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => (isReference(key, each) ? [each] : references(each)));
}
