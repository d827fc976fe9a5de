/** The markers around a tool's result in the history, which no model should write. */
import type { CallsFormat, ResultMarkers } from '../../format/chat-format.ts';
import { writtenAround } from '../calls/written-around.ts';
import { isMarker, tokens } from '../literals/tokens.ts';
import type { Probing } from '../probes/probing.ts';

/** Known after results have been read; absent if results have no markers of their own. */
export interface WithResults {
  readonly results?: ResultMarkers;
}

/**
 * Reads the markers from a conversation with a result. Markers that are also rendered without one belong to turns or
 * calls. A prompt's description of the tools is ignored, because it may mention the markers.
 */
export function inferResultMarkers({
  prober,
  probes,
  calls,
  log,
}: Probing & { readonly calls: CallsFormat | null }): WithResults {
  const { toolResult, pattern } = prober.sentinels;
  const rendered = prober.conversation(probes.callThenTool) ?? '';
  const at = rendered.indexOf(toolResult);
  if (at < 0) return {};
  const others = [
    prober.render(probes.contentThenUser, 'unset', { tools: undefined }),
    ...[probes.twoCalls, probes.oneCall, probes.contentThenUser].map((probe) => prober.conversation(probe)),
    prober.prompt('unset'),
    calls === null ? '' : writtenAround(calls),
  ];
  const known = new Set(others.flatMap((text) => tokens(text ?? '')));
  const markersOf = (text: string) => {
    const own = tokens(text).filter((token) => isMarker(token) && !known.has(token));
    return [...new Set(own.map((marker) => beforeData(marker, pattern)))].filter(isSignificant);
  };
  const open = markersOf(rendered.slice(0, at));
  const close = markersOf(rendered.slice(at + toolResult.length)).filter((marker) => !open.includes(marker));
  if (open.length + close.length === 0) return {};
  const around = [...open, toolResult, ...close].join(' ');
  log.support('results', probes.callThenTool.id, around, 'markers that only results have');
  return { results: { open, close } };
}

/** A marker up to the data in it: `<tool_output name="`. */
function beforeData(marker: string, data: RegExp): string {
  const at = marker.search(data);
  return at < 0 ? marker : marker.slice(0, at);
}

function isSignificant(marker: string): boolean {
  return /^\S\S{2,}/u.test(marker);
}
