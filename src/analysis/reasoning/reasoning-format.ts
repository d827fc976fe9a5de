/** Which probe and slice support each field of reasoning and content. */
import type { ContentFormat, ReasoningFormat } from '../../format/chat-format.ts';
import type { EvidenceLog } from '../evidence.ts';
import { beforeCalls, type RegionTexts } from '../probes/rendered-turns.ts';

/** Records what supports the reasoning, or that there is none. */
export function logReasoning(reasoning: ReasoningFormat | null, texts: RegionTexts, log: EvidenceLog): void {
  if (reasoning === null) {
    const { on } = texts.turn.prompt;
    log.support('reasoning', 'prompt-on', on, 'no prompt opens it and no finished turn shows it');
    return;
  }
  const source = texts.reasoning;
  const slice = source?.beforeContent ?? source?.beforeCall ?? source?.closer ?? '';
  const probe = source?.basis === 'history' ? 'reasoning-content' : 'prompt-off';
  const turn = texts.content?.text ?? '';
  log.support('reasoning.start', probe, reasoning.start, 'it opens reasoning');
  log.support('reasoning.end', probe, slice, 'it follows the reasoning, up to what opens the next region');
  log.support('reasoning.empty', 'content', turn, 'it stands where reasoning would, in a turn without any');
  log.support('reasoning.preserved', probe, slice, `finished turns show reasoning: ${reasoning.preserved}`);
  if (reasoning.start.trim() !== '' && reasoning.end.trim() === '') {
    const message = `nothing but white space ends the reasoning that ${JSON.stringify(reasoning.start)} opens: no end of it can be told`;
    log.warn({ field: 'reasoning.end', kind: 'assumed', message, rendered: slice });
  }
  if (reasoning.emptyWithCalls === undefined || texts.calls === null) return;
  const bare = beforeCalls(texts.calls);
  log.support('reasoning.emptyWithCalls', 'one-call', bare, 'it stands before a call without reasoning');
}

/** Records what supports the content, and warns where content and calls exclude each other. */
export function logContent(content: ContentFormat, texts: RegionTexts, log: EvidenceLog): void {
  const { contentCall } = texts;
  const turn = texts.content?.text ?? '';
  const withCallsPart = contentCall.position === 'before' ? contentCall.between : contentCall.position;
  log.support('content.open', 'content', turn, 'it stands before the content');
  log.support('content.close', 'content', turn, 'it stands after the content, before the end of the turn');
  log.support(
    'content.position',
    'content-call',
    withCallsPart,
    `content next to calls: ${content.position}`,
  );
  log.support(
    'content.withCalls',
    'content-call',
    withCallsPart,
    'compared with the wrapper of content alone',
  );
  log.support('content.beforeCalls', 'content-call', withCallsPart, 'between content and calls');
  if (content.empty !== undefined) {
    log.support('content.empty', 'one-call', content.empty, 'written around no content');
  }
  if (content.afterReasoning !== undefined) {
    const slice = texts.reasoning?.beforeContent ?? '';
    log.support('content.afterReasoning', 'reasoning-content', slice, 'missing where there is no reasoning');
  }
  if (texts.calls !== null && contentCall.position === 'dropped' && contentCall.callsLost) {
    const message = 'a message with content and calls loses its calls: finished turns show one or the other';
    log.warn({ field: 'content.position', kind: 'history', message });
  }
}
