/** Lowers the headers of regions in turns of several regions, each of which has one. */
import type { ChatFormat } from '../format/chat-format.ts';
import { openingText } from './call-samples.ts';
import { core, headerEnd } from './format-markers.ts';
import { picture } from './pictures.ts';
import type { StateSpec } from './states.ts';

/** Headers that the template does not show: other orders of their parts, calls among them. */
export function headerStates(format: ChatFormat): readonly StateSpec[] {
  const end = headerEnd(format);
  const { calls, reasoning } = format;
  if (end === null || reasoning === null) return [];
  const opening = calls === null ? '' : openingText(calls);
  // White space at its end parts it from the name.
  const marker = opening.trimStart();
  return [
    {
      name: 'inHeader',
      title: "In a region's header.",
      picture: picture(format.turn.start, `${opening}get_time`, end),
      step: {
        use: 'readHeader',
        table: {
          end,
          call: marker === '' ? null : { marker, next: 'beforeArguments' },
          thought: { marker: core(reasoning.start).slice(0, -end.length), next: 'inReasoning' },
          recipient: recipientMarker(format, marker),
          next: 'inContent',
          otherwise: 'inAnswer',
          recover: calls === null ? 'afterTurn' : 'inMalformedCall',
        },
      },
    },
  ];
}

/** What shows that a header is for a recipient: how a call's begins, where the other regions' have nothing of it. */
function recipientMarker({ reasoning, content }: ChatFormat, marker: string): string {
  const begin = /^\W*\w+\W/.exec(marker)?.[0] ?? marker;
  const shared = [reasoning?.start ?? '', content.open].some((opener) => opener.includes(begin));
  return shared ? '' : begin;
}
