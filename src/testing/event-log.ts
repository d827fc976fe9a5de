/**
 * Events as lines that a person can read, write and compare:
 *
 *     0..8 marker "<think>\n"
 *     8 reasoning-start
 *     8..12 reasoning-delta "Hmm."
 *
 * First the stretch of the response that the event covers (a single number: it covers nothing), then the
 * event, then what it says: names and ids bare, text in quotes and with JSON's escapes. Text that holds
 * quotes stands in backticks, so that JSON stays readable: `{"city": "Oslo"}`.
 */
import { array, requireOption, responseEvent } from '../format/option-rules.ts';
import type { AnyResponseEvent, ResponseEvent } from '../parser/events.ts';

/** One line per event. The reason of `malformed` is omitted: it is for people, and may change. */
export function eventLog(events: readonly AnyResponseEvent[]): readonly string[] {
  requireEvents(events);
  return events.map((event) => {
    const said = wordsOf(event);
    const place = event.start === event.end ? `${event.start}` : `${event.start}..${event.end}`;
    return `${place} ${event.type}${said === '' ? '' : ` ${said}`}`;
  });
}

function wordsOf(event: AnyResponseEvent): string {
  switch (event.type) {
    case 'reasoning-delta':
    case 'text-delta':
    case 'tool-input-delta':
      return quoted(event.delta);
    case 'tool-input-start':
      return `${event.toolName} ${event.id}`;
    case 'tool-call': {
      const written = event.writtenId === undefined ? '' : ` (written id ${event.writtenId})`;
      return `${event.toolName} ${JSON.stringify(event.arguments)}${written}`;
    }
    case 'malformed':
      return quoted(event.raw) + (event.toolCallId === undefined ? '' : ` of ${event.toolCallId}`);
    case 'repaired':
      return event.law + (event.toolCallId === undefined ? '' : ` of ${event.toolCallId}`);
    case 'possible-call':
      return `${event.toolName} at ${event.at}`;
    case 'marker':
      return quoted(event.text);
    case 'finish':
      return event.reason;
    default:
      return '';
  }
}

/** Text in quotes, or in backticks if it contains quotes but no backtick. */
function quoted(text: string): string {
  const json = JSON.stringify(text);
  if (!text.includes('"') || text.includes('`')) return json;
  return `\`${json.slice(1, -1).replaceAll('\\"', '"')}\``;
}

/** Merges adjacent deltas of a region or call, and adjacent markers: the result must not depend on chunking. */
export function mergeEvents(events: readonly ResponseEvent[]): readonly ResponseEvent[] {
  requireEvents(events);
  const merged: ResponseEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    const joined = last === undefined ? null : join(last, event);
    if (joined === null) merged.push(event);
    else merged[merged.length - 1] = joined;
  }
  return merged;
}

/** Throws `UnsupportedOptionError` for anything but a list of events. */
function requireEvents(given: readonly AnyResponseEvent[]): void {
  requireOption('events', given, array);
  for (const event of given) requireOption('event', event, responseEvent);
}

function join(last: ResponseEvent, next: ResponseEvent): ResponseEvent | null {
  if (last.type === 'marker' && next.type === 'marker') {
    return { ...last, text: last.text + next.text, end: next.end };
  }
  if (!('delta' in last) || !('delta' in next) || last.type !== next.type || last.id !== next.id) return null;
  return { ...last, delta: last.delta + next.delta, end: next.end };
}
