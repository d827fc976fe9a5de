/** The pictures of a request, once it is known whether the model sees them. */
import type { ContentPart, Message } from '../../format/messages.ts';
import { fillMarks, partsAtMarks } from '../../tools/picture-marks.ts';
import type { RequestPicture } from './notes.ts';

/** Messages with pictures in place of their marks, or for models that see none a line. */
export function showPictures(
  messages: readonly Message[],
  pictures: readonly RequestPicture[],
  vision: boolean,
): readonly Message[] {
  if (pictures.length === 0) return messages;
  const addresses = pictures.map(({ address }) => address);
  const told = (text: string): string => fillMarks(text, pictures, ({ line }) => line);
  return messages.map((message) => {
    const { content } = message;
    if (content === null) return message;
    const parts = vision && message.role !== 'assistant' ? partsOf(content, addresses) : null;
    if (parts?.some(({ type }) => type !== 'text') === true) return { ...message, content: parts };
    const plain =
      typeof content === 'string'
        ? told(content)
        : content.map((part) => (typeof part.text === 'string' ? { ...part, text: told(part.text) } : part));
    return { ...message, content: plain } as Message;
  });
}

function partsOf(
  content: string | readonly ContentPart[],
  addresses: readonly string[],
): readonly ContentPart[] {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return parts.flatMap((part) =>
    typeof part.text === 'string' ? partsAtMarks(part.text, addresses) : [part],
  );
}
