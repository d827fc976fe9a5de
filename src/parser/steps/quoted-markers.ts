/**
 * Markers that a text quotes begin and end nothing. What begins something is quoted if a quotation is open before it,
 * so nothing has to wait. What ends the text itself is quoted only if the quotation goes on after it in the same line:
 * otherwise a stray backtick would swallow all that follows. For that reason, a special token in a code span opens a
 * call if a complete and valid one follows, and the span is not closed after it in its line.
 */
import { repair } from '../leniency/law-table.ts';
import type { CompiledTransition } from '../markers/compiled-transition.ts';
import { absent, type MarkerTable, type Match, undecided } from '../markers/markers.ts';
import { CallInSpan } from '../quoting/call-in-span.ts';
import type { Quotation, QuotedText } from '../quoting/quoted-text.ts';
import type { Reader, State } from '../reader.ts';

/** A quotation must go on within this many units after a marker. */
const maxRest = 256;

/** In words, for notes. */
const words: Readonly<Record<Quotation, string>> = {
  fence: 'a code block',
  'first-fence': 'a code block',
  indented: 'a code block',
  'block-quote': 'a block quote',
  table: 'a table',
  'code-span': 'a code span',
  'quotation-marks': 'quotation marks',
};

/** Whether the marker at `at` is text; `undecided` if more text decides. Reports it. */
export function isQuoted(
  reader: Reader,
  markers: MarkerTable<State>,
  { choice, end }: Match<State>,
  at: number,
): boolean | typeof undecided {
  const { region } = reader;
  if (region === null || reader.cursor.offsetOf(at) < 0) return false;
  const kind = reader.options.thoughtsInText ? 'text' : region.kind;
  const quoted = reader.quotations.before(kind, at);
  const verdict = begins(choice, region.kind)
    ? isQuotedOpener(reader, choice, quoted) && isNoCall(reader, choice, quoted, at, end)
    : isQuotedCall(reader, markers, quoted, at) || isQuotedEnd(reader, choice, quoted, at, end);
  // JSON is no marker of the format, so there is nothing to report.
  if (verdict === true && choice.speculative === undefined) noteQuoted(reader, choice, quoted, kind, at, end);
  return verdict;
}

/** Whether what stands at `at` is within a string of an answer in JSON. */
export function standsInJsonString(reader: Reader, at: number): boolean {
  if (!reader.options.answersJson || reader.region?.kind !== 'text') return false;
  return reader.quotations.before('text', at).inJsonString;
}

/** Whether what stands at `at` is quoted. */
export function standsInQuotation(reader: Reader, at: number): boolean {
  const { region, options, quotations } = reader;
  if (region === null) return false;
  const { quotation } = quotations.before(options.thoughtsInText ? 'text' : region.kind, at);
  return quotation !== null && !mayHoldCalls(reader, quotation);
}

/** Whether calls in a quotation may be calls: in a fence that the answer begins with. */
function mayHoldCalls(reader: Reader, quotation: Quotation): boolean {
  return quotation === 'first-fence' && reader.allows('fence');
}

/** Whether a marker begins something, or is skipped, and does not end the region. */
function begins({ role, passes }: CompiledTransition<State>, region: 'text' | 'reasoning'): boolean {
  return role === 'call' || passes === true || (role === 'thought' && region === 'text');
}

function isQuotedOpener(reader: Reader, choice: CompiledTransition<State>, quoted: QuotedText): boolean {
  if (choice.ownLine && (!quoted.beginsLine || reader.quotations.isAfterSpelledToken(quoted))) return true;
  const { quotation } = quoted;
  // A marker that begins like a block quote is not in one because of another marker in its line.
  const isOwn = quotation === 'block-quote' && choice.parts[0]?.startsWith('>') === true;
  if (quotation !== null && !mayHoldCalls(reader, quotation) && !isOwn) return true;
  return choice.unlessMentioned !== undefined && isMentioned(quoted, choice.unlessMentioned);
}

/** Whether a quoted marker opens no call, as all but some special tokens do; `undecided` if more text decides. */
function isNoCall(
  reader: Reader,
  choice: CompiledTransition<State>,
  { quotation, openSpan }: QuotedText,
  at: number,
  end: number,
): boolean | typeof undecided {
  const { role, peek, ambiguous, speculative, repairs, blockEnd, next, trailingSpace } = choice;
  const opens = role === 'call' && !peek && !ambiguous && !speculative && repairs === undefined;
  if (quotation !== 'code-span' || !opens || blockEnd === undefined) return true;
  if (reader.region?.kind !== 'text' || !reader.isSpecial(at)) return true;
  const opener = reader.cursor.offsetOf(at);
  const known = reader.progress instanceof CallInSpan ? reader.progress : null;
  const ahead =
    known?.opener === opener ? known : new CallInSpan(reader, { next, trailingSpace, blockEnd }, at, end);
  reader.progress = ahead;
  const callEnd = ahead.end(reader);
  if (callEnd === undecided) return undecided;
  const verdict = callEnd === absent || goesOnInLine(reader, quotation, callEnd, openSpan, false);
  if (verdict !== undecided) reader.progress = null;
  return verdict;
}

/** What ends a sentence. */
const sentenceEnd = /[.!?…。！？:;)\]"'”»*]$/;

/** Whether a sentence mentions a marker: it is not over before it, or its line has the `opener`. */
function isMentioned(quoted: QuotedText, opener: string): boolean {
  return (opener !== '' && quoted.lineEnd.includes(opener)) || !sentenceEnd.test(quoted.end);
}

/** Whether the end of a turn is the beginning of a quoted call; `undecided` if more text decides. */
function isQuotedCall(
  reader: Reader,
  markers: MarkerTable<State>,
  { quotation }: QuotedText,
  at: number,
): boolean | typeof undecided {
  if (quotation === null || mayHoldCalls(reader, quotation) || reader.isSpecial(at)) return false;
  const end = markers.openerEnd(reader, reader.cursor.text, at);
  return end === undecided ? undecided : end !== absent;
}

function isQuotedEnd(
  reader: Reader,
  { role }: CompiledTransition<State>,
  quoted: QuotedText,
  at: number,
  end: number,
): boolean | typeof undecided {
  const { quotation } = quoted;
  if (quotation === null || mayHoldCalls(reader, quotation)) return false;
  // Engines that know special tokens end the response at those that end a turn.
  if (role !== 'thought' && reader.isSpecial(at)) return false;
  return goesOnInLine(reader, quotation, end, quoted.openSpan, role === 'thought');
}

/** Whether a quotation goes on in the line after `end`; `undecided` if more text decides. */
function goesOnInLine(
  reader: Reader,
  quotation: Quotation,
  end: number,
  span: number,
  isThought: boolean,
): boolean | typeof undecided {
  const { text } = reader.cursor;
  const lineEnd = text.slice(end, end + maxRest).search(/[\r\n]/);
  const isWhole = lineEnd !== -1 || text.length - end >= maxRest || reader.ended;
  const rest = text.slice(end, lineEnd === -1 ? end + maxRest : end + lineEnd);
  if (goesOn(quotation, rest, span, isThought)) return isWhole || !rest.endsWith('`') ? true : undecided;
  return isWhole || isSettled(quotation, rest, isThought) ? false : undecided;
}

/** Whether the quotation goes on in the rest of the line. */
function goesOn(quotation: Quotation, rest: string, span: number, isThought: boolean): boolean {
  switch (quotation) {
    case 'code-span':
      return (rest.match(/`+/g) ?? []).some((run) => run.length === span);
    case 'quotation-marks':
      return isThought ? /^["'”“»«’」』]/.test(rest) : /["'”“»«’」』]/.test(rest);
    default:
      return !isThought && rest.trim() !== '';
  }
}

/** Whether more text in the line cannot make the quotation go on. */
function isSettled(quotation: Quotation, rest: string, isThought: boolean): boolean {
  return isThought && quotation !== 'code-span' && (quotation !== 'quotation-marks' || rest !== '');
}

function noteQuoted(
  reader: Reader,
  { unlessMentioned }: CompiledTransition<State>,
  quoted: QuotedText,
  kind: 'text' | 'reasoning',
  at: number,
  end: number,
): void {
  const { quotation } = quoted;
  const isMention = quotation === null && unlessMentioned !== undefined;
  const where = quotation === null ? 'a line of text' : words[quotation];
  const marker = reader.cursor.text.slice(at, end).trim();
  reader.emitText(at);
  if (quotation === 'quotation-marks') reader.quotations.hold(kind);
  if (reader.quotations.isNew())
    reader.noteRepair(
      isMention ? repair('quoted', 'mention', marker) : repair('quoted', 'marker', marker, where),
    );
}

/** Reports a call that stands in a quotation: in a fenced block, which makes up the answer so far, or in a code span. */
export function noteCallInQuotation(reader: Reader, { choice, end }: Match<State>, at: number): void {
  if (choice.role !== 'call' || reader.region?.kind !== 'text' || choice.repairs !== undefined) return;
  const { quotation } = reader.quotations.before('text', at);
  if (quotation === 'first-fence') reader.noteRepair(repair('fence', 'call'));
  if (quotation !== 'code-span') return;
  reader.noteRepair(repair('quoted', 'call', reader.cursor.text.slice(at, end).trim()));
}
