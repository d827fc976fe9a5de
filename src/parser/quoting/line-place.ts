/** What a line of Markdown is, by its head and by what the lines before it leave open. */
/** An open fenced code block. */
export interface Fence {
  /** The run that opened it. */
  readonly run: string;
  /** How many list items it is in. */
  readonly depth: number;
  /** Whether text precedes it. */
  readonly afterText: boolean;
}

/** What the lines so far leave open. */
export interface OpenBlocks {
  readonly fence: Fence | null;
  /** The columns at which the text of the open list items begins, outermost first. */
  readonly items: readonly number[];
  /** The line before this one is part of a paragraph. */
  readonly inParagraph: boolean;
  /** There is text outside fenced blocks. */
  readonly hasText: boolean;
}

/** What a line is. `textAt`: where its text begins. */
export type LinePlace =
  | { readonly kind: 'blank'; readonly textAt: number }
  /** In a fenced block, which the line may close if it is not indented too far. */
  | { readonly kind: 'fenced'; readonly textAt: number; readonly mayClose: boolean }
  /** The opener of a fenced block, unless a backtick follows the run. */
  | {
      readonly kind: 'fence';
      readonly textAt: number;
      readonly run: string;
      readonly info: string;
      /** With a backtick after the run, it continues the paragraph of the line before it. */
      readonly continues: boolean;
    }
  | { readonly kind: 'indented' | 'block-quote' | 'table'; readonly textAt: number }
  | {
      readonly kind: 'text';
      readonly textAt: number;
      /** It continues the paragraph of the line before it. */
      readonly continues: boolean;
      /** It is a heading. */
      readonly endsParagraph: boolean;
    };

interface PlacedLine {
  readonly place: LinePlace;
  /** The columns at which the text of the open list items begins. */
  readonly items: readonly number[];
}

const tabStop = 4;
/** Indented by this much more, text is code. */
const codeIndent = 4;

const thematicBreak = /^([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const setextUnderline = /^(?:=+|-+)[ \t]*$/;
const heading = /^#{1,6}(?:[ \t]|$)/;
const fenceRun = /^(?:`{3,}|~{3,})/;
const listMarker = /^(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/;

/** What the line with this head is. */
export function placeOfLine(head: string, blocks: OpenBlocks): PlacedLine {
  const indent = indentAt(head, 0, 0);
  if (indent.at === head.length || head[indent.at] === '\r') {
    const kind = blocks.fence === null ? 'blank' : 'fenced';
    return { place: { kind, textAt: indent.at, mayClose: false } as LinePlace, items: blocks.items };
  }
  const kept = blocks.items.filter((column) => column <= indent.column);
  if (blocks.fence !== null && kept.length >= blocks.fence.depth) {
    const mayClose = indent.column - (kept[blocks.fence.depth - 1] ?? 0) < codeIndent;
    return { place: { kind: 'fenced', textAt: 0, mayClose }, items: blocks.items };
  }
  const isLazy = kept.length < blocks.items.length && blocks.inParagraph && blocks.fence === null;
  const inParagraph = blocks.inParagraph && blocks.fence === null;
  const placed = placeAfterItems(head, indent, kept, inParagraph, isLazy);
  // Text without indentation continues the paragraph of a list item.
  return isLazy && placed.place.kind === 'text' && placed.place.continues
    ? { ...placed, items: blocks.items }
    : placed;
}

interface Indent {
  readonly at: number;
  readonly column: number;
}

function indentAt(head: string, from: number, start: number): Indent {
  let at = from;
  let column = start;
  for (; head[at] === ' ' || head[at] === '\t'; at++)
    column += head[at] === ' ' ? 1 : tabStop - (column % tabStop);
  return { at, column };
}

function placeAfterItems(
  head: string,
  { at, column }: Indent,
  items: readonly number[],
  inParagraph: boolean,
  isLazy: boolean,
): PlacedLine {
  const rest = head.slice(at).replace(/\r$/, '');
  const text = (continues: boolean, endsParagraph = false): PlacedLine => ({
    place: { kind: 'text', textAt: at, continues, endsParagraph },
    items,
  });
  if (rest === '') return { place: { kind: 'blank', textAt: at }, items };
  if (column - (items.at(-1) ?? 0) >= codeIndent) {
    return inParagraph ? text(true) : { place: { kind: 'indented', textAt: at }, items };
  }
  if (rest.startsWith('>')) return { place: { kind: 'block-quote', textAt: at }, items };
  if (rest.startsWith('|')) return { place: { kind: 'table', textAt: at }, items };
  const run = fenceRun.exec(rest)?.[0];
  // No info string has backticks: such a run opens a code span.
  if (run?.startsWith('`') && rest.includes('`', run.length)) return text(inParagraph);
  if (run !== undefined)
    return {
      place: { kind: 'fence', textAt: at + run.length, run, info: '', continues: inParagraph },
      items,
    };
  if (inParagraph && !isLazy && setextUnderline.test(rest)) return text(true, true);
  if (thematicBreak.test(rest)) return { place: { kind: 'blank', textAt: at }, items };
  if (heading.test(rest)) return text(false, true);
  const marker = listMarker.exec(rest)?.[0];
  if (marker === undefined || (inParagraph && !isLazy && !interrupts(marker, rest))) return text(inParagraph);
  return placeInItem(head, at + marker.length, column + marker.length, items);
}

/** Whether a list item may follow a line of text without a blank line between them. */
function interrupts(marker: string, rest: string): boolean {
  return rest.slice(marker.length).trim() !== '' && !/^(?!1[.)])\d/.test(marker);
}

/** The rest of a line after the marker of a list item. */
function placeInItem(head: string, from: number, start: number, items: readonly number[]): PlacedLine {
  const { at, column } = indentAt(head, from, start);
  const isBlank = head.slice(at).trim() === '';
  const isCode = column - start > codeIndent;
  const textColumn = isBlank || isCode ? start + 1 : column;
  return placeAfterItems(
    head,
    { at, column: isBlank ? textColumn : column },
    [...items, textColumn],
    false,
    false,
  );
}
