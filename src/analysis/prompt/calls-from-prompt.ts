/**
 * Calls as the prompt describes them, for templates whose finished turns show none; and the law *prompt agrees*: if
 * the prompt's example contradicts the format read from finished turns, a warning shows both.
 */
import type { CallsFormat } from '../../format/chat-format.ts';
import { isMarker, squash, tokens } from '../literals/tokens.ts';
import type { Probing } from '../probes/probing.ts';
import { type CallExample, findCallExamples } from './call-examples.ts';
import { callsOfExample } from './calls-of-example.ts';
import type { WithToolPrompt } from './tool-prompt.ts';

interface WithCalls {
  readonly calls: CallsFormat | null;
}

/** The calls as finished turns show them, corrected or replaced by the prompt's example. */
export function compareWithPrompt({
  calls,
  toolPrompt,
  log,
}: Probing & WithToolPrompt & WithCalls): WithCalls {
  const examples = findCallExamples(toolPrompt);
  const [example] = examples;
  if (example === undefined) return { calls };
  if (calls === null) {
    log.withdraw('calls');
    log.support(
      'calls',
      'tool-prompt',
      example.text,
      'no finished turn shows calls; the prompt asks for these',
    );
    return { calls: callsOfExample(example) };
  }
  const python = examples.find((each) => each.kind === 'python');
  if (python !== undefined && isPythonic(calls)) return { calls: comparePython(calls, python, log) };
  if (examples.some((each) => agrees(calls, each))) return { calls };
  warn(example, writtenAround(calls), log);
  return { calls };
}

function warn(example: CallExample, written: string, log: Probing['log']): void {
  const message =
    'the prompt shows the model a call that the format does not write: a model that follows it may write calls ' +
    'which are not read';
  log.warn({ field: 'calls', kind: 'prompt', message, rendered: example.text, written });
}

/** A format's literals around and inside a call, as one text. */
export function writtenAround({ section, call, head, tail, arguments: format }: CallsFormat): string {
  const literals = [...head, ...tail].filter((part) => typeof part === 'string');
  const entry = format.kind === 'entries' ? [format.entry.open, format.entry.key] : [];
  const [first = '', ...others] = literals;
  return [section.open, call.open, first, ...others, ...entry, call.close, section.close].join('');
}

/** Whether the format has the markers of an example and, for JSON, its keys. */
function agrees(calls: CallsFormat, example: CallExample): boolean {
  const written = writtenAround(calls);
  const markers = tokens(example.text).filter((each) => isMarker(each) && isDistinct(each));
  if (example.kind === 'python') return isPythonic(calls);
  if (example.kind === 'tagged') return markers.every((each) => written.includes(each) || isClosing(each));
  const { envelope } = calls;
  const keys = envelope === null ? [] : [...(envelope.name ?? []), ...envelope.arguments];
  const hasKeys = [example.nameKey, example.argumentsKey].every((key) => keys.includes(key));
  return hasKeys && squash(written).includes(squash(example.open));
}

/** Placeholders in angle brackets look like markers: `<function-name>`. */
function isDistinct(marker: string): boolean {
  return !/name|arg|param|value|json|dict/iu.test(marker);
}

function isClosing(marker: string): boolean {
  return marker.includes('/');
}

function isPythonic({ head, arguments: format }: CallsFormat): boolean {
  const last = head.at(-1);
  return typeof last === 'string' && last.trimEnd().endsWith('(') && format.kind === 'entries';
}

/**
 * Keyword arguments: if finished turns write strings without quotes, values of all types in the quotes of strings, or
 * no separator between arguments, the template prints what cannot be read back, and the prompt shows what is meant.
 */
function comparePython(calls: CallsFormat, example: CallExample, log: Probing['log']): CallsFormat {
  if (calls.arguments.kind !== 'entries') return calls;
  const { entry, frames, separator } = calls.arguments;
  const isRaw = frames.string.codec === 'raw';
  const isQuoted = /["'<]/u.test(entry.key + frames.string.open);
  const hidesTypes = /["']$/u.test(entry.key + frames.number.open);
  const fromPrompt = callsOfExample(example);
  if (isRaw && (!isQuoted || hidesTypes)) {
    warnOfHistory(example, writtenAround(calls), log);
    const call = { ...calls.call, close: fromPrompt.call.close };
    return { ...calls, call, arguments: fromPrompt.arguments, basis: 'prompt' };
  }
  if (separator !== '') return calls;
  warnOfHistory(example, writtenAround(calls), log);
  return { ...calls, arguments: { ...calls.arguments, separator: ', ' }, basis: 'prompt' };
}

function warnOfHistory(example: CallExample, written: string, log: Probing['log']): void {
  const message =
    'finished turns write arguments that cannot be told apart; the format follows the example in the prompt';
  log.warn({ field: 'calls.arguments', kind: 'prompt', message, rendered: example.text, written });
}
