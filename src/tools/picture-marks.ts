/** Marks that stand for pictures in the text of a message, until it is known whether the model sees them. */
import type { ContentPart } from '../format/messages.ts';

/** Stands for a picture in a text: private-use characters, which do not occur by chance. */
export const markOf = (index: number): string => `\u{E0C1}picture ${index}\u{E0C3}`;
const marks = /\u{E0C1}picture (\d+)\u{E0C3}/u;

/** The text, with `write` for each of the pictures. */
export function fillMarks<Picture>(
  text: string,
  pictures: readonly Picture[],
  write: (picture: Picture) => string,
): string {
  return splitAtMarks(text, pictures)
    .map(({ before, picture }) => before + (picture === null ? '' : write(picture)))
    .join('');
}

/** The text between the pictures, and the picture after each piece; `null` after the last. */
export function splitAtMarks<Picture>(
  text: string,
  pictures: readonly Picture[],
): readonly { readonly before: string; readonly picture: Picture | null }[] {
  const pieces = text.split(marks);
  return pieces.flatMap((before, index) =>
    index % 2 === 1 ? [] : [{ before, picture: pictures[Number(pieces[index + 1])] ?? null }],
  );
}

/** The parts of a text with marks. `addresses`: those of its pictures. */
export function partsAtMarks(text: string, addresses: readonly string[]): readonly ContentPart[] {
  return splitAtMarks(text, addresses).flatMap(({ before, picture }) => [
    ...(before === '' ? [] : [textPart(before)]),
    ...(picture === null ? [] : [{ type: 'image_url', image_url: { url: picture } }]),
  ]);
}

/** A part of text. */
export function textPart(text: string): ContentPart {
  return { type: 'text', text };
}
