/** The parser of a module: feeds text to its states. */

import { ResponseOverError, UnsupportedOptionError } from '../format/errors.ts';
import type { JsonObject } from '../format/messages.ts';
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
import { repair } from './leniency/law-table.ts';
import { moduleContractVersion, type ResponseModule } from './module-contract.ts';
import { notations } from './notations/notation-parsers.ts';
import { openCallOf } from './open-call.ts';
import { isProvenance } from './provenance.ts';
import { Reader } from './reader.ts';
import type {
  OpenCall,
  ParserPosition,
  ResponseParser,
  ResponseParserOptions,
  ResponsePiece,
} from './response-parser.ts';
import { ToolTable } from './tool-table.ts';

/** Rules of the options; tools are checked when they are read. */
const parserRules: OptionRules<ResponseParserOptions> = {
  tools: anyValue,
  generationPrompt: string,
  parallelToolCalls: boolean,
  reasoningFormat: oneOf('separate', 'none'),
  responseFormat: {
    expected: '{ type: text, json_object or json_schema }',
    allows: (value) =>
      isRecord(value) && ['text', 'json_object', 'json_schema'].some((type) => type === value.type),
  },
  markers: boolean,
  keepMessage: boolean,
  validate: callback,
  provenance: { expected: 'an object with isEnforced() and textOf()', allows: isProvenance },
  createId: callback,
  specialTokens: array,
  leniency: oneOf('lenient', 'strict'),
};
const anyModule: OptionRule = {
  expected: 'a responseModule written by idiolect generate',
  allows: (value) => isRecord(value) && typeof value.contract === 'number',
};
const endings = oneOf('stop', 'length');

/** Creates a parser for one response. Throws if the module was made for another version of the runtime. */
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
  /** The first half of a surrogate pair, if the fed text ended in one. */
  private half = '';
  /** The fast path, while no events must be delivered before the next piece. */
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
        answersJson: (options.responseFormat?.type ?? 'text') !== 'text',
        markers: options.markers === true,
        keeps: options.keepMessage !== false,
        validate: callCheck(this.tools, options.validate),
        validates: options.validate !== undefined,
        provenance: options.provenance ?? null,
        createId: options.createId ?? ((index) => `call_${index}`),
        specialTokens: options.specialTokens ?? [],
        lenient: options.leniency !== 'strict',
        seeksCalls: options.leniency !== 'strict',
        thoughtOpened: prompt !== '' && thoughtPrompt !== '' && prompt.startsWith(thoughtPrompt.trim()),
      },
      0 - prompt.length, // not -0, which V8 cannot store as a small integer
      notations,
    );
    reader.read(prompt, false);
    // What a caller's words leave open quotes no call of the model.
    reader.quotations.interrupt();
    return reader;
  }

  get position(): ParserPosition {
    const { region, inCall, callsOpenedAt, thinking, stateName: state } = this.reader;
    return { region: region?.kind ?? (inCall ? 'call' : 'between'), callsOpenedAt, thinking, state };
  }

  get openCall(): OpenCall | null {
    return openCallOf(this.reader);
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

/** Lists what is wrong with a call: its tool is not offered, or what the caller's `validate` returns. */
function callCheck(
  tools: ToolTable,
  validate: ResponseParserOptions['validate'],
): (toolName: string, input: JsonObject) => readonly string[] {
  return (toolName, input) => {
    if (tools.known && !tools.has(toolName)) return [notOffered(toolName, tools.names())];
    return validate?.(toolName, input) ?? [];
  };
}

/** How many names an error lists. */
const maxNames = 20;

function notOffered(toolName: string, names: readonly string[]): string {
  const listed = names.slice(0, maxNames).map((name) => JSON.stringify(name));
  const others = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  return `no tool ${JSON.stringify(toolName)} was offered; there are ${listed.join(', ')}${others}`;
}

/** Reads a single piece on the fast path; `null` if it is a special token, needs a state, or is not a piece. */
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

/** Callers in JavaScript may feed anything: bytes, `undefined` at the end of a stream, an array of strings. */
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
  if (reason !== 'length' && reader.allows('unclosed')) closeCall(reader, reason === 'stop');
  const cut = isLeftOpen(reader);
  reportRest(reader);
  const end = cursor.offsetOf(cursor.text.length);
  writer.endRegion(end);
  writer.finish(reason ?? (cut ? 'length' : 'stop'), end);
}

/**
 * Completes a call whose arguments are complete but whose closer is missing. If `hasStopped`, the model ended its
 * turn itself, so entries that are all closed are complete, too, and so is an object without its last brackets.
 */
function closeCall(reader: Reader, hasStopped: boolean): void {
  const { writer, cursor, buffer, call } = reader;
  if (writer.calls.open === null || !cursor.isAtEnd || !buffer.isEmpty) return;
  const isInEntries = hasStopped && call.entryCount > 0 && call.values === null;
  const missing =
    isInEntries && !writer.calls.hasWholeInput ? '}' : hasStopped ? missingBrackets(reader) : '';
  writer.calls.input(missing, cursor.offset, cursor.offset);
  if (!writer.calls.hasWholeInput) return;
  reader.noteRepair(repair('unclosed', 'end'));
  writer.calls.endCall(cursor.offset);
}

/** The last brackets of arguments that are one JSON object, if nothing else is missing from them. */
function missingBrackets({ progress, scanner }: Reader): string {
  return progress?.kind === 'arguments' && progress.string === null ? scanner.missingBrackets : '';
}

function isLeftOpen(reader: Reader): boolean {
  const { region } = reader;
  return (
    isInsideCall(reader) || region?.kind === 'reasoning' || region?.mustClose === true || hasRest(reader)
  );
}

/** Whether a call is open, including one of which only the opener was written; not where text is read after all. */
function isInsideCall({ writer, inCall, region, call }: Reader): boolean {
  return writer.calls.open !== null || (inCall && region === null && !call.started && !call.isReported);
}

function hasRest({ buffer, cursor }: Reader): boolean {
  return !buffer.isEmpty || !cursor.isAtEnd;
}

/** Reports what is left inside a call at the end. */
function reportRest(reader: Reader): void {
  if (!hasRest(reader) && !isInsideCall(reader)) return;
  reader.complain([], 'the text ends inside a call');
  reader.bufferTo(reader.cursor.text.length);
  reader.reportMalformed();
}

/** The prompt without the header of the assistant's turn. */
export function withoutHeader(prompt: string, turnStart: string): string {
  if (turnStart === '' || prompt === '') return prompt;
  if (prompt.startsWith(turnStart)) return prompt.slice(turnStart.length);
  const header = turnStart.trim();
  const at = header === '' ? -1 : prompt.indexOf(header);
  return at === -1 ? prompt : prompt.slice(at + header.length);
}
