/**
 * The part of a prompt that already belongs to the coming assistant turn. Most templates begin a new turn at
 * the end of the prompt. After a tool's result some do not: the turn that called the tool goes on, and its
 * calls are not part of the new message.
 */
import type { TurnFormat } from '../../format/chat-format.ts';
import { readMessages } from '../../format/check-messages.ts';
import { IdiolectError } from '../../format/errors.ts';
import type { Message } from '../../format/messages.ts';
import { isRecord, type OptionRule, object, requireOption, string } from '../../format/option-rules.ts';
import { type RenderPromptOptions, readPromptOptions, renderPrompt } from './render-prompt.ts';

/** A prompt and what it was rendered from. */
export interface RenderedPrompt {
  readonly templateSource: string;
  readonly options: RenderPromptOptions;
  readonly text: string;
}

const turnFormat: OptionRule = {
  expected: 'the `turn` of a format',
  allows: (value) => isRecord(value) && typeof value.start === 'string' && isRecord(value.prompt),
};

/** Marks the end of the last message; private-use characters that no text has by chance. */
const endMark = '\uE0C4\uF8D5\uE0C6';

/**
 * The part of a prompt that belongs to the coming message: the turn's start, and what follows it. Where the
 * prompt goes on with the turn of an earlier message, the start stands before what is new. Templates that
 * begin turns with nothing have only a message that is continued. Throws `UnsupportedOptionError` for a prompt,
 * a turn or options of `renderPrompt` that are wrong, and `MessageError` for messages that cannot be read.
 */
export function readGenerationPrompt(given: RenderedPrompt, turnParts: TurnFormat): string {
  const prompt = checkedPrompt(given);
  requireOption('turn', turnParts, turnFormat);
  const { start, prompt: known } = turnParts;
  const opened = start === '' ? -1 : prompt.text.lastIndexOf(start);
  const turn = opened < 0 ? '' : prompt.text.slice(opened);
  if (opened >= 0 && Object.values(known).includes(turn.slice(start.length))) return turn;
  const own = prompt.options.continueFinalMessage === true ? ofLastMessage(prompt) : afterLast(prompt, start);
  if (own === null) return turn;
  return start !== '' && own.includes(start) ? turn : start + own;
}

/** What cannot be rendered is taken for a prompt that says nothing, but only if it could have been rendered. */
function checkedPrompt(given: RenderedPrompt): RenderedPrompt {
  requireOption('prompt', given, object);
  requireOption('templateSource', given.templateSource, string);
  requireOption('text', given.text, string);
  const options = readPromptOptions(given.options);
  return { ...given, options: { ...options, messages: readMessages(options.messages) } };
}

/** What the prompt wrote of the last message, which is continued; `null` where that cannot be told. */
function ofLastMessage({ templateSource, options, text }: RenderedPrompt): string | null {
  const { continueFinalMessage: _, messages, ...others } = options;
  return after(text, templateSource, {
    ...others,
    messages: messages.slice(0, -1),
    addGenerationPrompt: false,
  });
}

/** What the prompt wrote after the last message for the sake of the next; `null` where that is a turn. */
function afterLast(prompt: RenderedPrompt, start: string): string | null {
  const { templateSource, options, text } = prompt;
  const marked = markLast(options.messages);
  const render = marked === null ? null : tryRender(templateSource, { ...options, messages: marked });
  const end = render?.lastIndexOf(endMark) ?? -1;
  if (start === '' || render === null || end < 0 || render.includes(start, end)) return null;
  const rest = after(text, templateSource, { ...options, addGenerationPrompt: false }) ?? '';
  return rest.trimStart();
}

/** The rest of `text` after what the template writes with other options. */
function after(text: string, templateSource: string, options: RenderPromptOptions): string | null {
  const before = tryRender(templateSource, options);
  return before !== null && text.startsWith(before) ? text.slice(before.length) : null;
}

function tryRender(templateSource: string, options: RenderPromptOptions): string | null {
  try {
    return renderPrompt(templateSource, options);
  } catch (error) {
    if (error instanceof IdiolectError) return null;
    throw error;
  }
}

/** The messages with a mark at the end of the last one's text; `null` where that has none. */
function markLast(messages: readonly Message[]): readonly Message[] | null {
  const last = messages.at(-1);
  if (typeof last?.content !== 'string') return null;
  return [...messages.slice(0, -1), { ...last, content: last.content + endMark }];
}
