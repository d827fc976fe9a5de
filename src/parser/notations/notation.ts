/** What tells a call in a notation that is not the format's from text. */
import { callNotations } from '../../format/call-notations.ts';
import { absent, undecided } from '../markers/markers.ts';
import { skipSpace } from '../markers/white-space.ts';
import type { Reader } from '../reader.ts';
import type { Notation } from '../state-tables.ts';

/** Openers that prose never has at the beginning of a line: text may stand before and after such calls. */
export const unmistakableOpeners: ReadonlySet<string> = new Set(
  Object.values(callNotations)
    .map(({ call }) => call.open)
    .filter((open) => /^<[^\s=<>]+[\s=]/.test(open)),
);

/** Position of the name of an offered tool in a call that begins at `at`; or `absent` or `undecided`. */
export function nameAt(reader: Reader, { open, nameEnds }: Notation<unknown>, at: number): number {
  const { text } = reader.cursor;
  const rest = text.slice(at, at + open.length);
  if (rest !== open) return !reader.ended && open.startsWith(rest) ? undecided : absent;
  const name = open === '' ? at : skipSpace(text, at + open.length);
  const end = reader.nameEnd(text, name, nameEnds);
  return end < 0 ? end : name;
}

/** What a call looks like in a notation: `<invoke name="⟨name⟩">`. */
export function pictureOf({ open, nameEnds: [end = ''] }: Notation<unknown>): string {
  return `${open}⟨name⟩${end}`;
}

/** A text that ends within a marker. */
const cutMarker = /^[<[][^\s>\]]*$/;

/** Whether the rest of a response ends within a marker, or within the beginning of a call in another notation. */
export function endsInBeginning({ notations, options: { tools } }: Reader, rest: string): boolean {
  const written = rest.replace(/\s/g, '');
  const heads = notations.flatMap(({ open, nameEnds: [end = ''] }) =>
    tools.names().map((name) => (open + name + end).replace(/\s/g, '')),
  );
  return cutMarker.test(rest) || heads.some((head) => head.startsWith(written));
}
