/** The parser that callers use: feeds text to a module's states, and finishes. */
import { ResponseOverError, UnsupportedOptionError } from '../format/errors.ts';
import type { JsonObject, Tool } from '../format/messages.ts';
import {
  anyValue,
  array,
  boolean,
  callback,
  checkOption,
  isRecord,
  type OptionRule,
  type OptionRules,
  oneOf,
  readOptions,
  refuse,
  requireOption,
  string,
} from '../format/option-rules.ts';
import type { ResponseEvent, ResponseMessage } from './events.ts';
import type { FastPath } from './fast-path.ts';
import { moduleContractVersion, type ResponseModule } from './module-contract.ts';
import { Reader } from './reader.ts';
import { ToolTable } from './tool-table.ts';

/** Options of a response parser. */
export interface ResponseParserOptions {
  /**
   * The tools on offer. A call of any other is still read as a call, followed by a `malformed` event.
   * Absent: any name may be called, and no types are known. Empty: no call can be made, and its markers
   * are text.
   */
  readonly tools?: readonly Tool[];
  /** The part of the assistant's turn that is already in the prompt, header included. Default: only the header. */
  readonly generationPrompt?: string;
  /**
   * `false`: only one call may be made. The text of further calls is reported as `malformed` and kept in the
   * message; it is neither a call nor content. Default: true.
   */
  readonly parallelToolCalls?: boolean;
  /** `none`: thoughts stay in the content, with their markers. Default: `separate`. */
  readonly reasoningFormat?: 'separate' | 'none';
  /** Also emits events for markers, so that the events tile the text. Default: false. */
  readonly markers?: boolean;
  /**
   * `false`: the message is not stored, and `finish` returns an empty one. Memory is then bounded by the longest
   * open call, however long the response. Default: true.
   */
  readonly keepMessage?: boolean;
  /**
   * Lists what is wrong with the arguments of a call of an offered tool; reported as `malformed` after the
   * call. Default: nothing is checked.
   */
  readonly validate?: (toolName: string, input: JsonObject) => readonly string[];
  /**
   * Creates the id of a call for which the model had written none by the time its name was known; `index` counts the
   * response's calls from 0, including those that broke off. Default: `call_0`, `call_1`, …
   */
  readonly createId?: (index: number) => string;
  /**
   * Strings that are one special token in the model's vocabulary. If they are given, a marker counts only if its
   * special tokens came as pieces marked `special`; spelled out, they are text.
   */
  readonly specialTokens?: readonly string[];
  /**
   * `lenient`: deviations from the format are read where they can mean only one thing, and reported as `repaired`
   * (`docs/leniency.md`). `strict`: they are `malformed`, or text. Default: `lenient`.
   */
  readonly leniency?: 'lenient' | 'strict';
}

/** A piece of the response as an engine delivers it. */
export interface ResponsePiece {
  readonly text: string;
  /** The piece is one special token. Default: false. */
  readonly special?: boolean;
}

/** Reads one response while it is written. */
export interface ResponseParser {
  /**
   * Reads on. Returns the events that are certain by now; the first call also those of the prompt. Throws
   * `ResponseOverError` after `finish`.
   */
  feed(text: string | readonly ResponsePiece[]): readonly ResponseEvent[];
  /**
   * The response is over. `length`: it was cut short. Returns the last events and the message. Later
   * calls return no more events. Throws `UnsupportedOptionError` for another reason.
   */
  finish(reason?: 'stop' | 'length'): {
    readonly events: readonly ResponseEvent[];
    readonly message: ResponseMessage;
  };
  /** Starts over, with the same options. */
  reset(): void;
  /** Where reading stands, for those who steer sampling by it. */
  readonly position: ParserPosition;
}

/** Where a parser stands. */
export interface ParserPosition {
  /** The region that is open: reasoning, answer text, calls; `between` at the edges of regions. */
  readonly region: 'reasoning' | 'text' | 'call' | 'between';
  /** Offset of the marker that opened the latest call; `null` before the first. */
  readonly callsOpenedAt: number | null;
  /** Thoughts are open: reading stands in them, or after their opener and before its white space. */
  readonly thinking: boolean;
  /** Name of the state that reads on, as the generated module has it: `inAnswer`. */
  readonly state: string;
}

/** What the options of a parser may be; tools are checked where they are read. */
const parserRules: OptionRules<ResponseParserOptions> = {
  tools: anyValue,
  generationPrompt: string,
  parallelToolCalls: boolean,
  reasoningFormat: oneOf('separate', 'none'),
  markers: boolean,
  keepMessage: boolean,
  validate: callback,
  createId: callback,
  specialTokens: array,
  leniency: oneOf('lenient', 'strict'),
};
const anyModule: OptionRule = { expected: 'a responseModule written by idiolect generate', allows: isRecord };
const endings = oneOf('stop', 'length');

/** A parser for the responses of one format. Throws when the module was made for another runtime. */
export function createModuleParser(
  responseModule: ResponseModule,
  given: ResponseParserOptions = {},
): ResponseParser {
  requireOption('module', responseModule, anyModule);
  if (responseModule.contract !== moduleContractVersion) {
    throw new UnsupportedOptionError({
      option: 'module',
      reason: `it was generated for contract ${responseModule.contract}, this runtime has ${moduleContractVersion}; generate it again`,
    });
  }
  return new ModuleParser(responseModule, readOptions(given, parserRules));
}

class ModuleParser implements ResponseParser {
  private readonly module: ResponseModule;
  private readonly options: ResponseParserOptions;
  private readonly tools: ToolTable;
  private readonly prompt: string;
  private reader: Reader;
  /** Half a surrogate pair at the end of what was fed. */
  private half = '';
  /** The fast path, while nothing waits to be delivered before the next piece. */
  private fastPath: FastPath | null = null;
  private finished = false;

  constructor(responseModule: ResponseModule, options: ResponseParserOptions) {
    this.module = responseModule;
    this.options = options;
    this.tools = new ToolTable(options.tools);
    this.prompt = withoutHeader(options.generationPrompt ?? '', responseModule.turnStart);
    this.reader = this.newReader();
  }

  private newReader(): Reader {
    const { options, prompt } = this;
    const { thoughtPrompt, lead, start } = this.module;
    const reader = new Reader(
      start,
      lead,
      {
        tools: this.tools,
        thoughtsInText: options.reasoningFormat === 'none',
        parallel: options.parallelToolCalls !== false,
        markers: options.markers === true,
        keeps: options.keepMessage !== false,
        validate: callCheck(this.tools, options.validate),
        createId: options.createId ?? ((index) => `call_${index}`),
        specialTokens: options.specialTokens ?? [],
        lenient: options.leniency !== 'strict',
        thoughtOpened: prompt !== '' && thoughtPrompt !== '' && prompt.startsWith(thoughtPrompt.trim()),
      },
      0 - prompt.length, // not -0, which no small integer can be
    );
    reader.read(prompt, false);
    return reader;
  }

  get position(): ParserPosition {
    const { region, inCall, callsOpenedAt, thinking, stateName: state } = this.reader;
    return { region: region?.kind ?? (inCall ? 'call' : 'between'), callsOpenedAt, thinking, state };
  }

  feed(input: string | readonly ResponsePiece[]): readonly ResponseEvent[] {
    const { fastPath } = this;
    if (fastPath !== null) {
      const events = typeof input === 'string' ? fastPath.read(input) : readAlone(fastPath, input);
      if (events !== null) return events;
    }
    return this.feedOn(input);
  }

  private feedOn(input: string | readonly ResponsePiece[]): readonly ResponseEvent[] {
    if (this.finished) throw new ResponseOverError();
    if (typeof input === 'string') this.readText(input);
    else if (arePieces(input)) for (const { text, special } of input) this.readPiece(text, special === true);
    else refuse('feed', { expected: 'a string or an array of pieces ({ text, special })' }, input);
    this.fastPath = this.half === '' ? this.reader.fastPath : null;
    return this.reader.writer.take();
  }

  private readPiece(text: string, special: boolean): void {
    if (special) {
      this.releaseHalf();
      this.reader.read(text, true);
      return;
    }
    const events = this.half === '' ? this.reader.fastPath.read(text) : null;
    if (events === null) this.readText(text);
    else for (const event of events) this.reader.writer.add(event);
  }

  private readText(text: string): void {
    let piece = this.half === '' ? text : this.half + text;
    this.half = '';
    if (endsInHalf(piece)) {
      this.half = piece.slice(-1);
      piece = piece.slice(0, -1);
    }
    if (piece !== '') this.reader.read(piece, false);
  }

  private releaseHalf(): void {
    if (this.half !== '') this.reader.read(this.half, false);
    this.half = '';
  }

  finish(reason?: 'stop' | 'length'): {
    readonly events: readonly ResponseEvent[];
    readonly message: ResponseMessage;
  } {
    checkOption('finish', reason, endings);
    if (!this.finished) {
      this.finished = true;
      this.fastPath = null;
      this.releaseHalf();
      finishReading(this.reader, reason);
    }
    return { events: this.reader.writer.take(), message: this.reader.writer.message() };
  }

  reset(): void {
    this.half = '';
    this.fastPath = null;
    this.finished = false;
    this.reader = this.newReader();
  }
}

/** What is wrong with a call: its tool is not on offer, or what the caller's own check says. */
function callCheck(
  tools: ToolTable,
  validate: ResponseParserOptions['validate'],
): (toolName: string, input: JsonObject) => readonly string[] {
  return (toolName, input) => {
    if (tools.known && !tools.has(toolName)) return [`no tool ${JSON.stringify(toolName)} was offered`];
    return validate?.(toolName, input) ?? [];
  };
}

/**
 * Reads a single piece that is not a special token and needs no state; `null` for anything else, also for what is
 * no piece.
 */
function readAlone(
  fastPath: FastPath,
  pieces: readonly ResponsePiece[] | null | undefined,
): readonly ResponseEvent[] | null {
  const piece = pieces?.length === 1 ? pieces[0] : undefined;
  if (typeof piece?.text !== 'string' || piece.special === true) return null;
  return fastPath.read(piece.text);
}

/** Whether the last unit is the first half of a surrogate pair. */
function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

/** Callers in JavaScript may feed anything: bytes, `undefined` at the end of a stream, a list of strings. */
function arePieces(input: unknown): input is readonly ResponsePiece[] {
  if (!Array.isArray(input)) return false;
  return input.every(
    (piece) => typeof piece === 'object' && piece !== null && typeof piece.text === 'string',
  );
}

function finishReading(reader: Reader, reason: 'stop' | 'length' | undefined): void {
  const { cursor, writer } = reader;
  cursor.end(reason === 'length');
  reader.read('', false);
  if (reader.options.lenient && reason !== 'length') closeCall(reader, reason === 'stop');
  const cut = isLeftOpen(reader);
  reportRest(reader);
  const end = cursor.offsetOf(cursor.text.length);
  writer.endRegion(end);
  writer.finish(reason ?? (cut ? 'length' : 'stop'), end);
}

/**
 * A call whose arguments are whole is complete without what closes it. Entries that are all closed are whole if
 * `hasStopped`: the model has ended its turn itself.
 */
function closeCall(reader: Reader, hasStopped: boolean): void {
  const { writer, cursor, buffer, call } = reader;
  if (writer.call === null || !cursor.isAtEnd || !buffer.isEmpty) return;
  const isInEntries = hasStopped && call.entryCount > 0 && call.values === null;
  if (isInEntries && !writer.hasWholeInput) writer.input('}', cursor.offset, cursor.offset);
  if (!writer.hasWholeInput) return;
  reader.noteRepair('unclosed', 'the response ends before the call is closed');
  writer.endCall(cursor.offset);
}

function isLeftOpen(reader: Reader): boolean {
  const { region, writer } = reader;
  return (
    writer.call !== null || region?.kind === 'reasoning' || region?.mustClose === true || hasRest(reader)
  );
}

function hasRest({ buffer, cursor }: Reader): boolean {
  return !buffer.isEmpty || !cursor.isAtEnd;
}

/** What is left at the end inside a call. */
function reportRest(reader: Reader): void {
  if (!hasRest(reader) && reader.writer.call === null) return;
  reader.complain([], 'the text ends inside a call');
  reader.bufferTo(reader.cursor.text.length);
  reader.reportMalformed();
}

/** The prompt after the header of the assistant's turn. */
export function withoutHeader(prompt: string, turnStart: string): string {
  if (turnStart === '' || prompt === '') return prompt;
  if (prompt.startsWith(turnStart)) return prompt.slice(turnStart.length);
  const header = turnStart.trim();
  const at = header === '' ? -1 : prompt.indexOf(header);
  return at === -1 ? prompt : prompt.slice(at + header.length);
}
