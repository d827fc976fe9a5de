/**
 * Calls as the prompt describes them, for templates whose finished turns show none; and the law *prompt agrees*: what
 * the prompt shows the model is read and derived by the format. If prompt and finished turns disagree and only one of
 * them can be read back, that one is taken; otherwise a warning shows both.
 */
import type { CallsFormat, EntryArguments } from '../../format/chat-format.ts';
import { writtenAround } from '../calls/written-around.ts';
import type { Probing } from '../probes/probing.ts';
import type { CallExample, TaggedExample, WithExamples } from './call-example.ts';
import { findCallExamples } from './call-examples.ts';
import { callsOfExample } from './calls-of-example.ts';
import { derivesSample, formatOfCalls, readSample, readsItself, writesSample } from './example-law.ts';
import type { WithToolPrompt } from './tool-prompt.ts';

interface WithCalls {
  readonly calls: CallsFormat | null;
}

/** The calls as finished turns show them, corrected or replaced by the prompt's example. */
export function compareWithPrompt({
  calls,
  toolPrompt,
  log,
}: Probing & WithToolPrompt & WithCalls): WithCalls & WithExamples {
  const examples = findCallExamples(toolPrompt);
  if (examples.length === 0) return { calls, examples };
  const compared = calls === null ? firstReadable(examples, log) : compare(calls, examples, log);
  return { calls: compared, examples };
}

/** The calls of the first example that can be read back. */
function firstReadable(examples: readonly CallExample[], log: Probing['log']): CallsFormat | null {
  const example = examples.find((each) => fits(callsOfExample(each), each)) ?? examples[0];
  if (example === undefined) return null;
  log.withdraw('calls');
  log.support(
    'calls',
    'tool-prompt',
    example.text,
    'no finished turn shows calls; the prompt asks for these',
  );
  if (example.kind === 'json' && example.keysAssumed) {
    const { nameKey, argumentsKey } = example;
    const message = `the prompt asks for JSON in words; its keys are taken to be "${nameKey}" and "${argumentsKey}"`;
    log.warn({ field: 'calls', kind: 'assumed', message, rendered: example.text });
  }
  return callsOfExample(example);
}

function compare(calls: CallsFormat, examples: readonly CallExample[], log: Probing['log']): CallsFormat {
  const python = examples.find((each) => each.kind === 'python');
  if (python !== undefined && isPythonic(calls)) return comparePython(calls, python, log);
  if (examples.some((each) => fits(calls, each))) return calls;
  const spaced = examples.map((each) => withSpaceOf(calls, each, log)).find((each) => each !== null);
  if (spaced !== undefined) return spaced;
  const [example] = examples;
  if (example === undefined) return calls;
  const ofExample = examples.find((each) => each.sample.isWhole && fits(callsOfExample(each), each));
  if (ofExample !== undefined && !readsItself(calls)) {
    const message =
      'finished turns write calls that cannot be told from text; the format follows the example in the prompt';
    log.withdraw('calls');
    log.support('calls', 'tool-prompt', ofExample.text, 'finished turns show calls that cannot be read back');
    log.warn({
      field: 'calls',
      kind: 'prompt',
      message,
      rendered: ofExample.text,
      written: writtenAround(calls),
    });
    return callsOfExample(ofExample);
  }
  warn(example, writtenAround(calls), log);
  return calls;
}

function warn(example: CallExample, written: string, log: Probing['log']): void {
  const message =
    'the prompt shows the model a call that the format does not write: a model that follows it may write calls ' +
    'which are not read';
  log.warn({ field: 'calls', kind: 'prompt', message, rendered: example.text, written });
}

/** Whether the example is read as meant and derived; of a part of a call, whether the format has its keys. */
function fits(calls: CallsFormat, example: CallExample): boolean {
  const { sample } = example;
  if (!sample.isWhole) return hasKeysOf(calls, example);
  const format = formatOfCalls(calls);
  const isRead = readSample(format, sample) === 'as meant' && derivesSample(format, sample);
  return isRead || writesSample(format, sample);
}

function hasKeysOf(calls: CallsFormat, example: CallExample): boolean {
  if (example.kind !== 'json') return isPythonic(calls);
  const { envelope } = calls;
  const keys = envelope === null ? [] : [...(envelope.name ?? []), ...envelope.arguments];
  return [example.nameKey, example.argumentsKey].every((key) => keys.includes(key));
}

/**
 * The calls with the white space of an example, if that is all in which they differ: around values, the prompt's is
 * taken; between markers, it is left to the model. `null` if they differ in more.
 */
function withSpaceOf(calls: CallsFormat, example: CallExample, log: Probing['log']): CallsFormat | null {
  const { sample } = example;
  if (!sample.isWhole) return null;
  const reading = readSample(formatOfCalls(calls), sample);
  if (reading === 'otherwise') return null;
  const loose = (each: CallsFormat): CallsFormat => {
    const unshown = new Set([...(each.unshown ?? []), 'gaps' as const]);
    return { ...each, unshown: [...unshown] };
  };
  const adopted = example.kind === 'tagged' ? withValueSpace(calls, example) : null;
  const candidates = adopted === null ? [loose(calls)] : [adopted, loose(calls), loose(adopted)];
  const found = candidates.find((each) => fits(each, example));
  if (found === undefined) return null;
  if (found.unshown?.includes('gaps') === true) {
    const reason = 'the prompt has other white space between the markers than finished turns';
    log.support('calls.unshown', 'tool-prompt', example.text, reason);
  }
  if (found.arguments === calls.arguments) return found;
  const message =
    'the prompt has other white space around values than finished turns; the format follows the prompt';
  const written = writtenAround(calls);
  log.warn({ field: 'calls.arguments.entry', kind: 'prompt', message, rendered: example.text, written });
  return { ...found, basis: 'prompt' };
}

/** The entries with the example's white space around values; `null` if their markers differ. */
function withValueSpace(calls: CallsFormat, { keyToValue, valueClose }: TaggedExample): CallsFormat | null {
  const { arguments: format } = calls;
  if (format.kind !== 'entries') return null;
  const { entry, separator } = format;
  const close = entry.close.join('');
  const isAlike = entry.key.trim() === keyToValue.trim() && close.trim() === valueClose.trim();
  if (!isAlike || entry.close.some((part) => typeof part !== 'string')) return null;
  const after = close.slice(close.trimEnd().length);
  const spaced: EntryArguments = {
    ...format,
    entry: { ...entry, key: keyToValue, close: [valueClose + after] },
    separator,
  };
  return { ...calls, arguments: spaced };
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
