/** A generation prompt that writes text that no region of the format accounts for. */
import type { ChatFormat } from '../../format/chat-format.ts';
import type { Probing } from '../probes/probing.ts';

type Given = Pick<Probing, 'log'> & { readonly format: ChatFormat };

/**
 * Warns if the prompt opens something that no render closes. It may be reasoning whose end marker the history never
 * shows; nothing in the template tells. If reasoning is known, the prompt may open it otherwise than finished turns
 * do; what the model then writes is not read as reasoning.
 */
export function warnOfUnexplainedPrompt({ format, log }: Given): object {
  const { unset, on, off } = format.turn.prompt;
  const prompts = format.reasoning === null ? [unset, on] : [unset, on, off];
  const opener = prompts.find((prompt) => !isKnownPrompt(prompt, format));
  if (opener === undefined) return {};
  const written = JSON.stringify(opener);
  const message =
    format.reasoning === null
      ? `the generation prompt opens ${written}, and no render shows what closes it: ` +
        'if it opens reasoning, an override has to say how it ends'
      : `the generation prompt writes ${written}, which finished turns do not: ` +
        `reasoning opens with ${JSON.stringify(format.reasoning.start)} there, and what follows the prompt is read as the answer`;
  log.warn({ field: 'reasoning', kind: 'assumed', message, rendered: opener });
  return {};
}

/** Whether the prompt adds nothing, begins the answer or a call, or opens, closes or skips reasoning. */
function isKnownPrompt(prompt: string, { content, calls, reasoning }: ChatFormat): boolean {
  const written = prompt.trim();
  const call = calls === null ? '' : calls.section.open + calls.call.open;
  if (written === '' || [content.open, call].some((opener) => opener.trim().startsWith(written))) return true;
  if (reasoning === null) return false;
  const { start, end, empty, emptyWithCalls = '' } = reasoning;
  // Then only the prompt opens it.
  if (start.trim() === '') return true;
  const markers = [start, end, empty, emptyWithCalls]
    .map((each) => each.trim())
    .filter((each) => each !== '');
  return markers.some((marker) => marker.startsWith(written) || written.startsWith(marker));
}
