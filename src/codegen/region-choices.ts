/** Which markers begin and end the regions of a turn, and where each leads. */
import type { ChatFormat } from '../format/chat-format.ts';
import { core, endChoices, isBlank, type MarkerChoice } from './format-markers.ts';
import { openerChoices } from './opener-choices.ts';
import { afterTurn } from './state-names.ts';

/** Markers that can begin a region, but for reasoning. */
export function regionChoices(format: ChatFormat): readonly MarkerChoice[] {
  return [
    ...openerChoices(format, { lead: '', inText: false }),
    ...contentOpeners(format),
    ...endChoices(format, afterTurn(format)),
  ];
}

/** What opens content that stands in markers of its own. */
export function contentOpeners(format: ChatFormat): readonly MarkerChoice[] {
  const { open, withCalls } = format.content;
  const own = isBlank(open) ? [] : [{ marker: open, next: 'inContent' }];
  if (withCalls === null || isBlank(withCalls.open)) return own;
  return [...own, { marker: withCalls.open, next: 'inContentWithCalls' }];
}

/**
 * Choices without those that can never be made: an earlier one has the same marker under the same conditions,
 * or without any.
 */
export function distinct(choices: readonly MarkerChoice[]): readonly MarkerChoice[] {
  const seen = new Set<string>();
  return choices.filter(({ next: _next, ...choice }) => {
    const { marker, role, ...conditions } = choice;
    const key = JSON.stringify({ ...choice, marker: core(marker) });
    const always = `${role ?? ''} ${marker}`;
    if (seen.has(key) || seen.has(always)) return false;
    seen.add(key);
    if (Object.keys(conditions).length === 0) seen.add(always);
    return true;
  });
}
