/** The field's labels for a format, derived from the finished format. */
import type {
  CallPart,
  CallsFormat,
  ChatFormat,
  FormatLabels,
  ReasoningModeLabel,
  ToolFormatLabel,
} from '../../format/chat-format.ts';

/** Labels a format. */
export function labelFormat(
  format: Pick<ChatFormat, 'turn' | 'reasoning' | 'content' | 'calls'>,
): FormatLabels {
  return {
    toolFormat: format.calls === null ? null : toolFormat(format.calls),
    reasoningMode: reasoningMode(format),
    contentMode:
      format.content.open.trim() === '' && format.content.close.trim() === '' ? 'plain' : 'always-wrapped',
  };
}

function toolFormat(calls: CallsFormat): ToolFormatLabel {
  const literals = [calls.section.open, calls.call.open, ...calls.head, ...calls.tail, calls.call.close];
  const text = literals.filter((part) => typeof part === 'string').join('');
  if (text.includes('```')) return 'MARKDOWN_BLOCK';
  if (calls.envelope !== null) return 'JSON_NATIVE';
  if (calls.call.open !== '' && !/[<[{]/u.test(calls.call.open)) return 'RECIPIENT_BASED';
  if (calls.arguments.kind === 'entries') {
    return opensWithParenthesis(calls) ? 'PYTHONIC' : 'TAG_WITH_TAGGED';
  }
  if (holes(calls.head).some((hole) => hole === 'composed-id' || hole === 'index')) return 'PREFIXED_INDEXED';
  if (/^\[[^[\]{}"]+\]$/u.test(calls.call.open.trim())) return 'BRACKET_TAG';
  return 'TAG_WITH_JSON';
}

function opensWithParenthesis(calls: CallsFormat): boolean {
  const last = calls.head.at(-1);
  return typeof last === 'string' && last.trimEnd().endsWith('(');
}

function holes(parts: readonly CallPart[]): readonly string[] {
  return parts.flatMap((part) => (typeof part === 'object' ? [part.hole] : []));
}

function reasoningMode(format: Pick<ChatFormat, 'turn' | 'reasoning'>): ReasoningModeLabel {
  const { reasoning, turn } = format;
  if (reasoning === null) return 'none';
  if (reasoning.preserved === 'with-calls') return 'tools-only';
  if (reasoning.start.trim() === '') return 'delimiter';
  const opener = reasoning.start.trim();
  if (turn.prompt.unset.trim() === opener) return 'forced-open';
  const closed = turn.prompt.off.trim();
  if (closed.startsWith(opener) && closed !== opener && turn.prompt.unset !== turn.prompt.off)
    return 'forced-closed';
  return 'tag-based';
}
