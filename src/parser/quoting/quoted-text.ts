/**
 * Where a growing Markdown text stands: in a code block, a code span, a block quote, a table or quotation marks. Only
 * what comes before a place decides, so nothing has to wait. The rules are CommonMark's, as far as they can be applied
 * from the left: a run of backticks opens a code span, although only its closer proves it.
 */
import { InlineText } from './inline-text.ts';
import { JsonStrings } from './json-strings.ts';
import { type Fence, type LinePlace, type OpenBlocks, placeOfLine } from './line-place.ts';

/** What a place stands in; `first-fence`: in a fenced block that nothing but blank lines precedes. */
export type Quotation =
  | 'fence'
  | 'first-fence'
  | 'indented'
  | 'block-quote'
  | 'table'
  | 'code-span'
  | 'quotation-marks';

/** This much of a line shows what it is. */
const maxHead = 256;

/** This much of the end of the text is known. */
const maxTail = 256;

const nothingOpen: OpenBlocks = { fence: null, items: [], inParagraph: false, hasText: false };

/** See the top of this file. */
export class QuotedText {
  private blocks = nothingOpen;
  /** The line so far, until its place is known. */
  private head = '';
  private place: LinePlace | null = null;
  private inline = new InlineText();
  /** The last characters of the text. */
  private tail = '';
  /** Of a text that is JSON; `undefined` of any other. */
  private strings: JsonStrings | undefined;

  /** What comes is JSON, from its beginning. */
  beginJson(): void {
    this.strings = new JsonStrings();
  }

  /** Whether the text is JSON and ends within a string. */
  get inJsonString(): boolean {
    return this.strings?.isOpen ?? false;
  }

  /** Reads more text. */
  read(text: string): void {
    this.strings?.read(text);
    this.tail = (this.tail + text.slice(-maxTail)).slice(-maxTail);
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.extendLine(text.slice(from, end));
      this.endLine();
      from = end + 1;
    }
    this.extendLine(text.slice(from));
  }

  /** Ends the line and the paragraph: something else than text is here. */
  interrupt(): void {
    if (this.head !== '' || this.place !== null) this.endLine();
    this.blocks = { ...this.blocks, inParagraph: false };
    this.inline = new InlineText();
  }

  /** What the end of the text stands in; `null` if in nothing. */
  get quotation(): Quotation | null {
    return this.copy().atEnd();
  }

  /** How many backticks close the open code span; 0 if none is open. */
  get openSpan(): number {
    const here = this.copy();
    here.atEnd();
    return here.inline.openSpan;
  }

  /** Whether only white space precedes the end of the text in its line. */
  get beginsLine(): boolean {
    return this.place === null && this.head.trim() === '';
  }

  /** Whether the text ends with one of these, apart from white space. */
  endsWith(texts: readonly string[]): boolean {
    return texts.some((each) => each !== '' && this.end.endsWith(each));
  }

  /** The end of the text, without white space. */
  get end(): string {
    return this.tail.trimEnd();
  }

  /** The end of the text: of its last line, and at most 256 units. */
  get lineEnd(): string {
    return this.tail.slice(this.tail.lastIndexOf('\n') + 1);
  }

  /** Keeps quotation marks open at the end of their line, because a marker was found in them. */
  holdMarks(): void {
    this.begin('x');
    this.inline.holdMarks();
  }

  copy(): QuotedText {
    const copy = new QuotedText();
    copy.blocks = this.blocks;
    copy.head = this.head;
    copy.place = this.place;
    copy.tail = this.tail;
    copy.inline = this.inline.copy();
    copy.strings = this.strings?.copy();
    return copy;
  }

  private atEnd(): Quotation | null {
    const { fence, hasText } = this.blocks;
    // A marker right after the closer of a fenced block is no longer in it.
    if (fence !== null && this.place === null && this.closesHere(fence)) return null;
    this.begin('x');
    switch (this.place?.kind) {
      case 'fenced':
        return fenced(this.blocks.fence?.afterText === true);
      case 'fence':
        return fenced(hasText);
      case 'indented':
        return hasText ? 'indented' : null;
      case 'block-quote':
        return 'block-quote';
      case 'text':
        return this.inline.quotation ?? (this.place.isRow ? 'table' : null);
      default:
        return this.inline.quotation;
    }
  }

  /** Whether the line so far is the closer of a block: one that left the item of its list closes nothing. */
  private closesHere(fence: Fence): boolean {
    const { place } = placeOfLine(this.head, this.blocks);
    return place.kind === 'fenced' && place.mayClose && closes(fence, this.head.trim());
  }

  private extendLine(part: string): void {
    if (part === '') return;
    if (this.place !== null) {
      this.readInLine(part);
      return;
    }
    const head = this.head + part;
    this.head = head.slice(0, maxHead);
    if (head.length <= maxHead) return;
    this.begin();
    this.readInLine(head.slice(maxHead));
  }

  /** Decides from its head what the line is; `marker` stands for what comes next in it. */
  private begin(marker = ''): void {
    if (this.place !== null) return;
    const { head, blocks } = this;
    const { place, items } = placeOfLine(head + marker, blocks);
    this.blocks = { ...blocks, items, fence: place.kind === 'fenced' ? blocks.fence : null };
    this.place = place;
    this.head = '';
    if (!('continues' in place && place.continues)) this.inline = new InlineText();
    this.readInLine(head.slice(place.textAt));
  }

  private readInLine(part: string): void {
    const { place } = this;
    if (place?.kind === 'fence' && place.run.startsWith('`') && part.includes('`')) {
      // In a line that is longer than a head, the run opened a code span after all.
      this.place = {
        kind: 'text',
        textAt: 0,
        continues: place.continues,
        endsParagraph: false,
        isRow: false,
      };
      this.inline.read(place.run + place.info + part);
    } else if (place?.kind === 'fence') {
      this.place = { ...place, info: place.info + part };
    } else if (place?.kind === 'text') {
      this.inline.read(part);
    }
  }

  private endLine(): void {
    const isShort = this.place === null;
    const line = this.head;
    this.begin();
    const { place } = this;
    if (place !== null) this.blocks = this.afterLine(place, isShort ? line : null);
    this.inline.endLine();
    if (!this.blocks.inParagraph) this.inline = new InlineText();
    this.head = '';
    this.place = null;
  }

  /** What is open after a line; `line` is its text if that is short. */
  private afterLine(place: LinePlace, line: string | null): OpenBlocks {
    const { blocks } = this;
    const { fence, items, hasText } = blocks;
    switch (place.kind) {
      case 'fenced': {
        const isClosed = line !== null && fence !== null && place.mayClose && closes(fence, line.trim());
        return { ...blocks, fence: isClosed ? null : fence, inParagraph: false };
      }
      case 'fence':
        return {
          ...blocks,
          fence: { run: place.run, depth: items.length, afterText: hasText },
          inParagraph: false,
        };
      case 'blank':
        return { ...blocks, inParagraph: false };
      case 'text':
        return { ...blocks, inParagraph: !place.endsParagraph, hasText: true };
      default:
        return { ...blocks, inParagraph: false, hasText: true };
    }
  }
}

function fenced(afterText: boolean): Quotation {
  return afterText ? 'fence' : 'first-fence';
}

function closes({ run }: Fence, line: string): boolean {
  const [character = ''] = run;
  return line.length >= run.length && line === character.repeat(line.length);
}
