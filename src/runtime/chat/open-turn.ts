/**
 * A prompt that leaves the assistant's turn open. Few templates render thoughts that are to be continued; if the
 * format shows how they are written, they are appended to the generation prompt.
 */
import { UnsupportedOptionError } from '../../format/errors.ts';
import type { Tool } from '../../format/messages.ts';
import { readPromptPosition } from '../../grammar/read-prompt-position.ts';
import type { Steps } from '../../language/expression/steps.ts';
import { turnLayout } from '../../layout/turn-layout.ts';
import { generationPromptSteps } from '../../template/prompt/generation-prompt.ts';
import { type RenderPromptOptions, renderSpansSteps } from '../../template/prompt/render-prompt.ts';
import type { TextSpan } from '../../template/template.ts';
import type { TracedPrompt } from './prompt-pieces.ts';
import type { LearnedTemplate } from './template-reader.ts';

/** The request, with tools as templates see them. */
export interface PromptRequest extends RenderPromptOptions {
  readonly tools?: readonly Tool[];
}

/** How a turn is written, and what reads it. */
type TurnReader = Pick<LearnedTemplate, 'format' | 'reader'>;

/** Renders a prompt, in steps. Throws what `renderPrompt` throws. */
export function* renderOpenTurn(
  templateSource: string,
  options: RenderPromptOptions,
  { format, reader }: TurnReader,
): Steps<TracedPrompt> {
  try {
    const spans = yield* renderSpansSteps(templateSource, options);
    const text = spans.map((span) => span.text).join('');
    yield;
    const generationPrompt = yield* generationPromptSteps({ templateSource, options, text }, format.turn);
    return { text, spans, generationPrompt };
  } catch (error) {
    const opened =
      error instanceof UnsupportedOptionError
        ? yield* openThoughts(templateSource, options, { format, reader })
        : null;
    if (opened === null) throw error;
    return opened;
  }
}

/** A generation prompt with the last message's thoughts; `null` if the last message is anything else. */
function* openThoughts(
  templateSource: string,
  { continueFinalMessage, ...options }: RenderPromptOptions,
  { format, reader }: TurnReader,
): Steps<TracedPrompt | null> {
  const last = options.messages.at(-1);
  const { reasoning } = turnLayout(format);
  if (continueFinalMessage !== true || last?.role !== 'assistant' || reasoning === null) return null;
  const { content, reasoning_content: thoughts = '', tool_calls: calls = [] } = last;
  if ((content ?? '').length > 0 || calls.length > 0 || thoughts === '') return null;
  const prompt = yield* renderOpenTurn(
    templateSource,
    { ...options, messages: options.messages.slice(0, -1), addGenerationPrompt: true, thinking: true },
    { format, reader },
  );
  const { place } = readPromptPosition(format, reader, prompt.generationPrompt, []);
  if (place !== 'start' && place !== 'reasoning') return null;
  const opener = place === 'start' ? reasoning.open.text : '';
  const written: readonly TextSpan[] = [
    { text: opener, origin: 'template' },
    { text: thoughts, origin: 'data' },
  ];
  return {
    text: prompt.text + opener + thoughts,
    spans: [...prompt.spans, ...written],
    generationPrompt: prompt.generationPrompt + opener + thoughts,
  };
}
