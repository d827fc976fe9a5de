/** The content's part of the format: the markers around it, alone and next to calls. */
import type { ContentFormat } from '../../format/chat-format.ts';
import { emptyWrapper, type WithCallsOpening } from '../calls/calls-opening.ts';
import { withoutSuffix } from '../literals/tokens.ts';
import type { Probing } from '../probes/probing.ts';
import type { WithClosing } from '../reasoning/reasoning-format.ts';
import type { WithMarkers } from '../reasoning/reasoning-markers.ts';
import type { WithEnds } from '../turn/region-ends.ts';
import type { ContentCall, WithTurns } from '../turn/rendered-turns.ts';

type Given = Probing & WithTurns & WithMarkers & WithEnds & WithCallsOpening & WithClosing;

/** The content's part of the format. */
export function inferContentFormat(given: Given): { readonly content: ContentFormat } {
  const content = readContent(given);
  logContent(content, given);
  return { content };
}

function readContent(given: Given): ContentFormat {
  const { turns, ends, closing, callsOpening } = given;
  const { contentCall } = turns;
  const wrapper = { open: closing.open, close: ends.contentClose };
  const base: ContentFormat = {
    ...wrapper,
    withCalls: null,
    position: 'before-calls',
    beforeCalls: '',
    ...(callsOpening.emptyContent ? { empty: wrapper.open + wrapper.close } : {}),
    ...(closing.afterReasoning === '' ? {} : { afterReasoning: closing.afterReasoning }),
  };
  const withCalls = emptyWrapper(given);
  if (withCalls !== null) return { ...base, withCalls, empty: withCalls.open + withCalls.close };
  if (contentCall.position === 'dropped')
    return { ...base, position: turns.calls === null ? base.position : 'dropped' };
  if (contentCall.position === 'after') {
    const { afterCall } = contentCall;
    const between = afterCall.startsWith(ends.callsClose) ? afterCall.slice(ends.callsClose.length) : '';
    return { ...base, position: 'after-calls', beforeCalls: withoutSuffix(between, wrapper.open) ?? between };
  }
  return { ...base, ...contentBeforeCalls(given, contentCall) };
}

/** Content before calls: among the thoughts, in its usual markers, or in others. */
function contentBeforeCalls(
  { markers: reasoning, closing, callsOpening }: Given,
  contentCall: Extract<ContentCall, { position: 'before' }>,
): Partial<ContentFormat> {
  const between = callsOpening.fromContent ?? '';
  const opened =
    reasoning !== null && reasoning.start.trim() !== '' && contentCall.before === reasoning.start;
  const closed = closing.end !== '' && contentCall.between.startsWith(closing.end);
  if (opened) return closed ? { position: 'reasoning' } : { beforeCalls: between };
  const expected = [closing.empty + closing.open, callsOpening.empty + closing.open];
  if (expected.includes(contentCall.before)) return { beforeCalls: between };
  const known = expected.find((each) => each !== '' && contentCall.before.startsWith(each)) ?? '';
  const open = contentCall.before.slice(known.length);
  // Text between content in other markers and the calls closes the content, unless it is white space.
  const isGap = between.trim() === '';
  return { withCalls: { open, close: isGap ? '' : between }, beforeCalls: isGap ? between : '' };
}

/** Records the evidence for the content, and warns if content and calls exclude each other. */
function logContent(content: ContentFormat, { turns, markers, log }: Given): void {
  const { contentCall } = turns;
  const turn = turns.content.text;
  const nextToCalls = contentCall.position === 'before' ? contentCall.between : contentCall.position;
  log.support('content.open', 'content', turn, 'it stands before the content');
  log.support('content.close', 'content', turn, 'it stands after the content, before the end of the turn');
  log.support('content.position', 'content-call', nextToCalls, `content next to calls: ${content.position}`);
  log.support('content.withCalls', 'content-call', nextToCalls, 'compared with the wrapper of content alone');
  log.support('content.beforeCalls', 'content-call', nextToCalls, 'between content and calls');
  if (content.empty !== undefined) {
    log.support('content.empty', 'one-call', content.empty, 'written around no content');
  }
  if (content.afterReasoning !== undefined) {
    const slice = markers?.beforeContent ?? '';
    log.support('content.afterReasoning', 'reasoning-content', slice, 'missing where there is no reasoning');
  }
  if (turns.calls !== null && contentCall.position === 'dropped' && contentCall.callsLost) {
    const message = 'a message with content and calls loses its calls: finished turns show one or the other';
    log.warn({ field: 'content.position', kind: 'history', message });
  }
}
