/**
 * Cases for the parser of a model: what it wrote, and what that should be read as. A case is run at every
 * cut, because engines cut anywhere, and says in words what differs. It needs no test framework:
 *
 *     import { responseCase } from 'idiolect/testing';
 *
 *     test('a call', () => {
 *       responseCase(template)
 *         .withTools([getWeather])
 *         .reads('Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>')
 *         .as({ content: 'Let me look.', calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] })
 *         .check();
 *     });
 *
 * Continued and forced turns take what the prompt wrote, and pieces say which of them are special tokens:
 *
 *     responseCase(format).withOptions({ generationPrompt: '<|im_start|>assistant\n<think>\n' })
 *       .reads('Hmm.\n</think>\n\nYes.').as({ reasoning: 'Hmm.', content: 'Yes.' }).check();
 *
 *     responseCase(format).withOptions({ specialTokens: ['<tool_call>'] })
 *       .reads([{ text: 'Write ' }, { text: '<tool_call>' }]).as({ content: 'Write <tool_call>' }).check();
 *
 * Without `as`, `check` demands what holds for any response: the same events at every cut, and every
 * character of it in exactly one event. `log` gives the events as lines, to look at or to compare.
 */
import { analyzeTemplate } from '../analysis/analyze-template.ts';
import { createResponseParser } from '../codegen/create-response-parser.ts';
import type { ChatFormat } from '../format/chat-format.ts';
import type { Tool } from '../format/messages.ts';
import { readOptions, requireOption } from '../format/option-rules.ts';
import type { ResponseModule } from '../parser/module-contract.ts';
import type { ResponseParserOptions, ResponsePiece } from '../parser/response-parser.ts';
import { ResponseCaseError } from './case-error.ts';
import { cutDifference, gapDifference, messageDifferences } from './compare-readings.ts';
import { eventLog } from './event-log.ts';
import { type Reading, readAtEveryCut, textOrPieces } from './every-cut.ts';
import { type ExpectedResponse, expectedRules } from './expected-response.ts';

/** Options of a case: those of the parser, without `tools` (see `withTools`) and `markers` (always on). */
export type CaseOptions = Omit<ResponseParserOptions, 'tools' | 'markers'>;

/** One case. Every method except `check` and `log` returns a new case and leaves this one unchanged. */
export interface ResponseCase {
  /** Offers tools. Without it any name may be called, and no types are known. */
  withTools(tools: readonly Tool[]): ResponseCase;
  /** Adds options of the parser: `generationPrompt`, `reasoningFormat`, `parallelToolCalls`, … */
  withOptions(options: CaseOptions): ResponseCase;
  /** What the model wrote; pieces distinguish special tokens from text. */
  reads(response: string | readonly ResponsePiece[]): ResponseCase;
  /** What it should be read as. */
  as(expected: ExpectedResponse): ResponseCase;
  /** Runs the case at every cut. Throws `ResponseCaseError` with all differences. */
  check(): void;
  /** The events of the response in one piece, markers included, as lines (see `eventLog`). */
  log(): readonly string[];
}

/**
 * Begins a case for a chat template's source, a format, or a generated module. A source is analysed at once: throws
 * the errors of `analyzeTemplate`. For a template that needs its end-of-sequence token, analyse it with that token,
 * and pass its format.
 */
export function responseCase(template: string | ChatFormat | ResponseModule): ResponseCase {
  const format = typeof template === 'string' ? analyzeTemplate(template).format : template;
  return new Case({ format, options: {}, response: '', expected: null });
}

interface CaseParts {
  readonly format: ChatFormat | ResponseModule;
  readonly options: ResponseParserOptions;
  readonly response: string | readonly ResponsePiece[];
  readonly expected: ExpectedResponse | null;
}

class Case implements ResponseCase {
  readonly #parts: CaseParts;

  constructor(parts: CaseParts) {
    this.#parts = parts;
  }

  withTools(tools: readonly Tool[]): ResponseCase {
    return this.#with({ options: { ...this.#parts.options, tools } });
  }

  withOptions(options: CaseOptions): ResponseCase {
    return this.#with({ options: { ...this.#parts.options, ...options } });
  }

  reads(response: string | readonly ResponsePiece[]): ResponseCase {
    requireOption('response', response, textOrPieces);
    return this.#with({ response });
  }

  as(expected: ExpectedResponse): ResponseCase {
    return this.#with({ expected: readOptions(expected, expectedRules) });
  }

  check(): void {
    const { response, expected } = this.#parts;
    const text = typeof response === 'string' ? response : response.map((piece) => piece.text).join('');
    const [whole, ...others] = this.#readings();
    if (whole === undefined) return;
    const differences = [
      ...(expected === null ? [] : messageDifferences(expected, whole)),
      ...gapDifference(whole, text),
      ...cutDifference(whole, others),
    ];
    if (differences.length > 0) {
      throw new ResponseCaseError({ response: text, differences, log: eventLog(whole.events) });
    }
  }

  log(): readonly string[] {
    const [whole] = this.#readings();
    return eventLog(whole?.events ?? []);
  }

  #readings(): Iterable<Reading> {
    const { format, options, response } = this.#parts;
    return readAtEveryCut(createResponseParser(format, { ...options, markers: true }), response);
  }

  #with(change: Partial<CaseParts>): ResponseCase {
    return new Case({ ...this.#parts, ...change });
  }
}
