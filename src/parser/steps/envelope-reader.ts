/**
 * A call that is one JSON object: `{"name": "f", "arguments": {…}, "id": "x"}`. Keys come in any order;
 * the arguments are said while they come, once the name is known.
 */
import { JsonStringReader } from '../json/json-string-reader.ts';
import { skipSpace } from '../markers/white-space.ts';
import type { EnvelopePaths, EnvelopeTable, State } from '../module-contract.ts';
import type { Reader } from '../reader.ts';
import { announce, noteId } from './steps-call.ts';

type Phase = 'open' | 'key' | 'colon' | 'value' | 'name' | 'id' | 'arguments' | 'string' | 'other' | 'after';
type Status = 'open' | 'done' | 'illegal';

/** See the top of this file. One reader reads one call. */
export class EnvelopeReader {
  expected: readonly string[] = ['a JSON object'];
  reason = 'the call is no JSON object';
  private readonly reader: Reader;
  private readonly paths: EnvelopePaths;
  private readonly indexIsId: boolean;
  private phase: Phase = 'open';
  /** Keys from the outside in to where reading stands; the last is the current key. */
  private readonly path: string[] = [];
  private key = '';
  /** JSON of a key or a captured value. */
  private captured = '';
  /** The value that is being read began here (an offset). */
  private valueStart = 0;
  /** Arguments that came before the name: their JSON, and where they stand. */
  private early: { json: string; readonly start: number; end: number } | null = null;
  private argumentsRead = false;
  private string: JsonStringReader | null = null;

  constructor(reader: Reader, table: EnvelopeTable<State>) {
    this.reader = reader;
    this.paths = table.paths;
    this.indexIsId = table.indexIsId === true;
    reader.hold(reader.at);
  }

  /** Reads on. `illegal`: the text at the reader's position cannot stand there. */
  read(): Status {
    for (;;) {
      const status = this.step();
      if (status !== 'more') return status;
    }
  }

  private step(): Status | 'more' {
    if (this.isBetweenTokens) this.pass(skipSpace(this.reader.text, this.reader.at));
    if (this.reader.at === this.reader.text.length && !this.isScalarAtEnd) return 'open';
    switch (this.phase) {
      case 'open':
        return this.punctuation('{', 'key');
      case 'key':
        return this.readKey();
      case 'colon':
        return this.punctuation(':', 'value');
      case 'value':
        return this.beginValue();
      case 'arguments':
        return this.readArguments();
      case 'string':
        return this.readStringArguments();
      case 'after':
        return this.afterValue();
      default:
        return this.readCaptured(this.phase);
    }
  }

  private get isBetweenTokens(): boolean {
    const { phase } = this;
    if (phase === 'key') return !this.reader.scanner.begun;
    return phase === 'open' || phase === 'colon' || phase === 'value' || phase === 'after';
  }

  private get isScalarAtEnd(): boolean {
    return this.reader.ended && (this.phase === 'id' || this.phase === 'other');
  }

  /** Consumes text up to `end`: held back until the name is known. */
  private pass(end: number): void {
    if (this.reader.draft.announced) this.reader.skip(end);
    else this.reader.hold(end);
  }

  private punctuation(character: string, next: Phase): Status | 'more' {
    if (this.reader.text[this.reader.at] !== character) return this.illegal([character]);
    this.pass(this.reader.at + 1);
    if (next === 'key') this.reader.scanner.reset();
    this.phase = next;
    return 'more';
  }

  private illegal(expected: readonly string[]): Status {
    this.expected = expected.map((each) => JSON.stringify(each));
    this.reason = 'the call is no JSON object of the expected shape';
    return 'illegal';
  }

  /** Scans on in a key or a value that is captured. */
  private scan(): Status {
    const { reader } = this;
    const { scanner } = reader;
    const end = scanner.scan(reader.text, reader.at);
    this.captured += scanner.output;
    this.pass(end);
    if (reader.ended && scanner.status === 'open') {
      scanner.end();
      this.captured += scanner.output;
    }
    const { status } = scanner;
    // What was scanned here is consumed already; it must not be reported again.
    if (status === 'illegal') scanner.reset();
    return status;
  }

  private readKey(): Status | 'more' {
    const { reader } = this;
    const first = reader.text[reader.at];
    if (!reader.scanner.begun) {
      if (first === '}') return this.close();
      if (first !== '"' && first !== "'") return this.illegal(['"', '}']);
      this.captured = '';
      this.valueStart = reader.offset(reader.at);
    }
    const status = this.scan();
    if (status === 'open') return 'open';
    const key = status === 'done' ? parseScalar(this.captured) : null;
    if (key === null) return this.illegal(['a key']);
    this.key = key;
    this.phase = 'colon';
    if (this.paths.name === null && this.path.length === 0) this.named(key);
    return 'more';
  }

  private beginValue(): Status | 'more' {
    const { reader, paths } = this;
    const place = [...this.path, this.key];
    const first = reader.text[reader.at];
    this.captured = '';
    this.valueStart = reader.offset(reader.at);
    reader.scanner.reset();
    if (this.isArguments(place)) return this.beginArguments(first);
    if (first === '{' && this.leadsOn(place)) {
      this.path.push(this.key);
      this.phase = 'open';
    } else if (isAt(paths.name, place)) {
      this.phase = 'name';
    } else if (isAt(paths.id, place) || (this.indexIsId && isAt(paths.index, place))) {
      this.phase = 'id';
    } else {
      this.phase = 'other';
    }
    return 'more';
  }

  private isArguments(place: readonly string[]): boolean {
    if (this.argumentsRead) return false;
    return this.paths.name === null ? place.length === 1 : isAt(this.paths.arguments, place);
  }

  /** Whether something that matters lies deeper within this place. */
  private leadsOn(place: readonly string[]): boolean {
    const { name, arguments: values, id, index } = this.paths;
    return [name, values, id, index].some(
      (path) => path !== null && path.length > place.length && isAt(path.slice(0, place.length), place),
    );
  }

  private beginArguments(first: string | undefined): Status | 'more' {
    const { reader } = this;
    this.argumentsRead = true;
    reader.beginInput();
    if (!reader.draft.announced) this.early = { json: '', start: this.valueStart, end: this.valueStart };
    if (first === '"') {
      this.pass(reader.at + 1);
      reader.beginInput();
      this.string = new JsonStringReader(reader.scanner);
      this.phase = 'string';
    } else if (first === '{') {
      this.phase = 'arguments';
    } else if (first === 'n' || first === 'N') {
      this.argumentsRead = false;
      this.early = null;
      this.phase = 'other';
    } else {
      return this.illegal(['{']);
    }
    return 'more';
  }

  private readArguments(): Status | 'more' {
    const { reader } = this;
    const { scanner } = reader;
    const end = scanner.scan(reader.text, reader.at);
    this.sayInput(scanner.output, end, scanner.held);
    if (this.early === null) reader.waitForJson();
    if (scanner.status === 'open') return 'open';
    if (scanner.status === 'illegal') return this.illegal(['a value']);
    this.phase = 'after';
    return 'more';
  }

  private readStringArguments(): Status | 'more' {
    const { reader, string } = this;
    if (string === null) return 'illegal';
    const end = string.read(reader.text, reader.at);
    this.sayInput(string.output, string.valueEnd, '');
    this.pass(end);
    if (string.status === 'illegal') return this.illegal(['JSON']);
    if (string.status === 'open') return 'open';
    this.pass(reader.at + 1); // the closing quote
    this.phase = 'after';
    return 'more';
  }

  /** JSON of the arguments up to `end`, of which the tail `held` is not in it yet. */
  private sayInput(json: string, end: number, held: string): void {
    const { reader, early } = this;
    if (early === null) {
      reader.sayInput(json, end, held);
      return;
    }
    early.json += json;
    early.end = reader.offset(end);
    reader.hold(end);
  }

  private readCaptured(phase: Phase): Status | 'more' {
    const status = this.scan();
    if (status === 'open') return 'open';
    if (status === 'illegal') return this.illegal(['a value']);
    this.phase = 'after';
    if (phase === 'other') return 'more';
    const text = parseScalar(this.captured);
    if (phase === 'id' && text !== null) noteId(this.reader, text);
    if (phase === 'name') {
      if (text === null || text === '') return this.illegal(['a tool name']);
      this.named(text);
    }
    return 'more';
  }

  /** The name is known: the call is announced, and what was held is said. */
  private named(name: string): void {
    const { reader, early } = this;
    const { draft, held, writer } = reader;
    if (draft.announced) return;
    draft.name = name;
    const text = held.toString();
    const { heldStart } = reader;
    held.clear();
    const marker = (start: number, end: number) => {
      if (writer.markers) writer.marker(text.slice(start - heldStart, end - heldStart), start);
    };
    if (early === null) {
      marker(heldStart, this.valueStart);
      this.announceAt(this.valueStart, reader.offset(reader.at));
      return;
    }
    marker(heldStart, early.start);
    this.announceAt(early.start, early.start);
    writer.input(early.json, early.start, early.end);
    marker(early.end, reader.offset(reader.at));
    this.early = null;
  }

  private announceAt(start: number, end: number): void {
    const { reader } = this;
    const { at, base } = reader;
    announce(reader, start - base, end - base);
    reader.at = at;
  }

  private afterValue(): Status | 'more' {
    const { reader } = this;
    const next = reader.text[reader.at];
    if (next === '}') return this.close();
    if (next !== ',') return this.illegal([',', '}']);
    this.pass(reader.at + 1);
    reader.scanner.reset();
    this.phase = 'key';
    return 'more';
  }

  /** The end of an object: of an inner one, or of the call. */
  private close(): Status | 'more' {
    const { reader } = this;
    if (this.path.pop() !== undefined) {
      this.pass(reader.at + 1);
      this.phase = 'after';
      return 'more';
    }
    if (!reader.draft.announced) {
      this.expected = ['a tool name'];
      this.reason = 'the call names no tool';
      return 'illegal';
    }
    const here = reader.offset(reader.at);
    if (!this.argumentsRead) reader.writer.input('{}', here, here);
    this.pass(reader.at + 1);
    reader.writer.endCall(reader.offset(reader.at));
    return 'done';
  }
}

function isAt(path: readonly string[] | null, place: readonly string[]): boolean {
  return path !== null && path.length === place.length && path.every((key, index) => key === place[index]);
}

/** A JSON string or number as text; `null` for anything else. */
function parseScalar(json: string): string | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
  } catch {
    return null;
  }
}
