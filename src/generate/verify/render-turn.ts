/** Renders a message and cuts the turn out of the conversation. */

import type { ChatFormat } from '../../format/chat-format.ts';
import { unless } from '../../format/error-class.ts';
import { IdiolectError } from '../../format/errors.ts';
import type { AssistantMessage, Tool } from '../../format/messages.ts';
import { commonPrefix } from '../../language/expression/alternatives.ts';
import { turnLayout } from '../../layout/turn-layout.ts';
import { rememberedTemplate, renderPrompt } from '../../template/prompt/render-prompt.ts';
import { withShownCalls } from '../../template/prompt/shown-calls.ts';

const question = 'Question-7f3a?';

/** The context of a render. */
export interface RenderedWith {
  readonly templateSource: string;
  readonly format: ChatFormat;
  readonly tools: readonly Tool[];
  /** The model's special tokens, as for the analysis. */
  readonly specialTokens: SpecialTokens;
}

/** The texts of special tokens that templates receive as variables. */
interface SpecialTokens {
  readonly bosToken: string;
  readonly eosToken: string;
}

/**
 * The text after `turn.start` that the template renders for `message`, including its end. For templates that keep
 * reasoning only while thinking is on, it is turned on. `null` if the template refuses the message or needs several
 * turns for it, or the turn cannot be separated from the rest.
 */
export function renderTurn(context: RenderedWith, message: AssistantMessage): string | null {
  if (context.format.input.calls === 'single' && (message.tool_calls?.length ?? 0) > 1) return null;
  const template = rememberedTemplate(context.templateSource, 'template');
  if (withShownCalls(template, [message]).length > 1) return null;
  const plain = turnUnder(context, message, undefined);
  const thoughts = message.reasoning_content ?? '';
  if (thoughts === '' || (plain?.includes(thoughts) ?? false)) return plain;
  const thinking = turnUnder(context, message, true);
  return thinking?.includes(thoughts) ? thinking : plain;
}

function turnUnder(
  context: RenderedWith,
  message: AssistantMessage,
  thinking: boolean | undefined,
): string | null {
  const { text: start } = turnLayout(context.format).start;
  const withTurn = afterQuestion(context, [message], thinking);
  const without = afterQuestion(context, [], thinking);
  if (withTurn === null || without === null) return null;
  const turn = withTurn.slice(0, withTurn.length - fixedTail(withTurn, without, start).length);
  const at = start === '' ? -1 : turn.indexOf(start);
  if (at >= 0) return turn.slice(at + start.length);
  return turn.startsWith(without)
    ? turn.slice(without.length)
    : betweenPromptAndLast(turn, without, afterQuestion(context, [], thinking, true));
}

/** The turn, if a template adds text to the end of every conversation that it does not write before an answer. */
function betweenPromptAndLast(turn: string, without: string, prompt: string | null): string | null {
  if (prompt === null || !turn.startsWith(prompt)) return null;
  const last = without.startsWith(prompt) ? without.slice(prompt.length) : '';
  return turn.slice(prompt.length, turn.endsWith(last) ? turn.length - last.length : turn.length);
}

/**
 * The text that the template adds to every conversation, such as the opening of the next turn or an end of sequence:
 * the part of the render without the turn that also follows the turn. It begins like a turn, or at least with the
 * character that begins markers.
 */
function fixedTail(withTurn: string, without: string, start: string): string {
  const [firstToken] = start.match(/^(?:<[^<>\s]+>|\W+[\w\s]*\W+)/u) ?? [start];
  if (firstToken === '') return '';
  const shared = commonPrefix(withTurn, without).length;
  const beginnings = shared === without.length ? [firstToken] : [firstToken, firstToken.slice(0, 1)];
  for (const beginning of beginnings) {
    for (
      let at = without.lastIndexOf(beginning, shared);
      at >= 0;
      at = without.lastIndexOf(beginning, at - 1)
    ) {
      if (withTurn.endsWith(without.slice(at))) return without.slice(at);
      if (at === 0) break;
    }
  }
  return '';
}

function afterQuestion(
  { templateSource, format, tools, specialTokens }: RenderedWith,
  answer: readonly AssistantMessage[],
  thinking: boolean | undefined,
  addGenerationPrompt = false,
): string | null {
  const render = unless(IdiolectError, () =>
    renderPrompt(templateSource, {
      messages: [{ role: 'user', content: question }, ...answer],
      tools,
      addGenerationPrompt,
      input: format.input,
      now: new Date(0),
      ...specialTokens,
      ...(thinking === undefined ? {} : { thinking }),
    }),
  );
  const at = render?.lastIndexOf(question) ?? -1;
  return render === null || at < 0 ? null : render.slice(at + question.length);
}
