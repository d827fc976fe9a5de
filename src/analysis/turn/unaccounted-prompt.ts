/** A generation prompt that writes something which no region of the format accounts for. */
import type { ChatFormat } from '../../format/chat-format.ts';
import type { Probing } from '../probes/probing.ts';

type Given = Pick<Probing, 'log'> & { readonly format: ChatFormat };

/**
 * Warns where the prompt opens what no render closes. It may be reasoning with a marker at its end that
 * history never shows; nothing of the template tells.
 */
export function warnOfUnaccountedPrompt({ format, log }: Given): object {
  if (format.reasoning !== null) return {};
  const opener = [format.turn.prompt.unset, format.turn.prompt.on].find(
    (prompt) => !isAccounted(prompt, format),
  );
  if (opener === undefined) return {};
  const message =
    `the generation prompt opens ${JSON.stringify(opener)}, and no render shows what closes it: ` +
    'if it opens reasoning, an override has to say how it ends';
  log.warn({ field: 'reasoning', kind: 'assumed', message, rendered: opener });
  return {};
}

/** The prompt writes nothing, or begins the answer or a call. */
function isAccounted(prompt: string, { content, calls }: ChatFormat): boolean {
  const written = prompt.trim();
  const call = calls === null ? '' : calls.section.open + calls.call.open;
  return written === '' || [content.open, call].some((opener) => opener.trim().startsWith(written));
}
