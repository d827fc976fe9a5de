/**
 * The part of a prompt that belongs to the next assistant turn. Most templates begin a new turn at the end of the
 * prompt. After a tool's result some do not: the turn that called the tool continues, but its calls are not part of
 * the new message.
 */

import type { TurnFormat } from '../../format/chat-format.ts';
import { readMessages } from '../../format/check-messages.ts';
import { IdiolectError } from '../../format/errors.ts';
import type { Message } from '../../format/messages.ts';
import { isRecord, type OptionRule, object, requireOption, string } from '../../format/option-rules.ts';
import { finish, type Steps } from '../../language/expression/steps.ts';
import { type RenderPromptOptions, readPromptOptions, renderPromptSteps } from './render-prompt.ts';

/** A prompt, and what it was rendered from. */
export interface RenderedPrompt {
  readonly templateSource: string;
  readonly options: RenderPromptOptions;
  readonly text: string;
}

const turnFormat: OptionRule = {
  expected: 'the `turn` of a format',
  allows: (value) => isRecord(value) && typeof value.start === 'string' && isRecord(value.prompt),
};

/** Marks the end of the last message; private-use characters that do not occur in text by chance. */
const endMark = '\uE0C4\uF8D5\uE0C6';

/**
 * The part of a prompt that belongs to the next message: the turn's start, and what follows it. If the prompt
 * continues the turn of an earlier message, the start is put before what is new. If a template begins turns with
 * nothing, there is only a message that is continued. Throws `UnsupportedOptionError` for an invalid prompt, turn or
 * option of `renderPrompt`, and `MessageError` for invalid messages.
 */
export function readGenerationPrompt(given: RenderedPrompt, turnParts: TurnFormat): string {
  return finish(generationPromptSteps(given, turnParts));
}

/** `readGenerationPrompt` in steps: it may render the conversation again. */
export function* generationPromptSteps(given: RenderedPrompt, turnParts: TurnFormat): Steps<string> {
  const prompt = checkedPrompt(given);
  requireOption('turn', turnParts, turnFormat);
  const { start, prompt: known } = turnParts;
  const opened = start === '' ? -1 : prompt.text.lastIndexOf(start);
  const turn = opened < 0 ? '' : prompt.text.slice(opened);
  if (opened >= 0 && Object.values(known).includes(turn.slice(start.length))) return turn;
  yield;
  const isContinued = prompt.options.continueFinalMessage === true;
  const own = yield* isContinued ? ofLastMessage(prompt) : afterLast(prompt, start);
  if (own === null) return turn;
  return start !== '' && own.includes(start) ? turn : start + own;
}

/** A prompt that cannot be rendered counts as empty, provided that its options are valid. */
function checkedPrompt(given: RenderedPrompt): RenderedPrompt {
  requireOption('prompt', given, object);
  requireOption('templateSource', given.templateSource, string);
  requireOption('text', given.text, string);
  const options = readPromptOptions(given.options);
  return { ...given, options: { ...options, messages: readMessages(options.messages) } };
}

/** The part of the last message in the prompt, if it is continued; `null` if that is unknown. */
function ofLastMessage({ templateSource, options, text }: RenderedPrompt): Steps<string | null> {
  const { continueFinalMessage: _, messages, ...others } = options;
  return after(text, templateSource, {
    ...others,
    messages: messages.slice(0, -1),
    addGenerationPrompt: false,
  });
}

/** What the prompt adds after the last message for the next one; `null` if that is a turn. */
function* afterLast(prompt: RenderedPrompt, start: string): Steps<string | null> {
  const { templateSource, options, text } = prompt;
  const marked = markLast(options.messages);
  const render = marked === null ? null : yield* tryRender(templateSource, { ...options, messages: marked });
  const end = render?.lastIndexOf(endMark) ?? -1;
  if (start === '' || render === null || end < 0 || render.includes(start, end)) return null;
  const rest = yield* after(text, templateSource, { ...options, addGenerationPrompt: false });
  return (rest ?? '').trimStart();
}

/** The rest of `text` after what the template renders with other options. */
function* after(text: string, templateSource: string, options: RenderPromptOptions): Steps<string | null> {
  const before = yield* tryRender(templateSource, options);
  return before !== null && text.startsWith(before) ? text.slice(before.length) : null;
}

function* tryRender(templateSource: string, options: RenderPromptOptions): Steps<string | null> {
  try {
    return yield* renderPromptSteps(templateSource, options);
  } catch (error) {
    if (error instanceof IdiolectError) return null;
    throw error;
  }
}

/** The messages with a mark at the end of the last text; `null` if there is no text. */
function markLast(messages: readonly Message[]): readonly Message[] | null {
  const last = messages.at(-1);
  if (typeof last?.content !== 'string') return null;
  return [...messages.slice(0, -1), { ...last, content: last.content + endMark }];
}
