/**
 * Overrides: facts that no render of a template shows, asserted as data with a reason.
 *
 * An override recognises a family of templates by fragments of their source, and fills parts of the format for which
 * the analysis found nothing. Each part is recorded as evidence, with the reason why no render shows it.
 */
import type { ChatFormat, Delimiters } from '../../format/chat-format.ts';
import { upToRestart } from '../../layout/regions.ts';
import type { EvidenceLog } from '../evidence.ts';
import { overrides } from './format-override.ts';

/** The format with the parts that overrides assert, where the analysis found nothing. */
export function applyOverrides(format: ChatFormat, source: string, log: EvidenceLog): ChatFormat {
  let filled = format;
  for (const { fragments, format: parts, preamble, reason } of overrides) {
    if (!fragments.every((each) => source.includes(each))) continue;
    const missing = Object.entries(parts).filter(([part]) => isMissing(format, part));
    filled = { ...filled, ...Object.fromEntries(missing) };
    for (const [part, value] of missing) {
      log.withdraw(part);
      log.support(part, 'override', JSON.stringify(value), reason);
    }
    if (preamble !== undefined && format.content.position === 'reasoning') {
      filled = withPreamble(filled, preamble);
      log.support('content.withCalls', 'content-call', JSON.stringify(preamble), reason, 'convention');
      log.support('input.preamble', 'content-call', JSON.stringify(preamble), reason, 'convention');
    }
  }
  return filled;
}

/** The format with text before calls in markers of its own, in prompts as in responses. */
function withPreamble(format: ChatFormat, preamble: Delimiters): ChatFormat {
  const { turn, calls, content, input } = format;
  if (calls === null) return format;
  const { open } = preamble;
  const close = upToRestart(turn, preamble.close);
  const before = turn.start + calls.section.open + calls.call.open;
  return {
    ...format,
    content: { ...content, position: 'before-calls', withCalls: preamble },
    input: { ...input, preamble: { open: turn.start + open, close, before } },
  };
}

/** Whether nothing is known of the part, or it is only assumed. */
function isMissing({ reasoning, calls, alternatives }: ChatFormat, part: string): boolean {
  if (part === 'reasoning') return reasoning === null || reasoning.basis === 'assumed';
  return part === 'calls' ? calls === null : alternatives === undefined;
}
