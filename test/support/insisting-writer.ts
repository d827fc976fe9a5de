/**
 * Writes texts as a model would that insists on them, until the grammar refuses: the whole way of a response in a
 * process or on a server, without an engine.
 */
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { Tool } from '../../src/format/messages.ts';
import type { Matcher } from '../../src/language/matcher/matcher.ts';
import type { ResponseEvent, ResponseMessage } from '../../src/parser/events.ts';
import type { CallNotation, OpenCall } from '../../src/parser/response-parser.ts';
import { callGuard } from '../../src/runtime/chat/checks/call-guard.ts';
import { GrammarCache } from '../../src/runtime/chat/grammar-cache.ts';
import { SteeredResponse } from '../../src/runtime/chat/steering/steered-response.ts';
import { isUnconstrainedAfterCalls } from '../../src/runtime/engine/chat.ts';

/** What became of a text. */
export interface Written {
  readonly message: ResponseMessage;
  /** The events before the end of the response. */
  readonly events: readonly ResponseEvent[];
  /** Whether the grammar refused to let the writer go on. */
  readonly isRefused: boolean;
  /** The text up to there. */
  readonly text: string;
  /** The grammar in force at the end: of a call in this notation, of the response, or none. */
  readonly grammar: CallNotation | 'response' | null;
}

/** How to write. */
export interface WriteOptions {
  readonly tools: readonly Tool[];
  /** Whether the response is cut off at the end of the text. */
  readonly cut?: boolean;
  readonly parallelToolCalls?: boolean;
  readonly toolChoice?: 'auto' | 'required';
}

/** Shares grammars between the responses that it writes. */
export class InsistingWriter {
  readonly grammars = new GrammarCache();

  /** Writes `text` in pieces of these lengths until the grammar refuses one. */
  write(
    format: ChatFormat,
    text: string,
    lengths: readonly number[],
    { tools, cut = false, parallelToolCalls = true, toolChoice = 'auto' }: WriteOptions,
  ): Written {
    const generationPrompt = format.turn.start;
    const request = { tools, toolChoice, toolNames: 'any', generationPrompt, parallelToolCalls } as const;
    const { grammar, matcher } = this.grammars.get(format, request);
    const guard = callGuard(request, tools, grammar.report);
    const known = { tools, generationPrompt, parallelToolCalls };
    const parser = createResponseParser(format, {
      ...known,
      validate: guard.validate,
      provenance: guard.enforced,
    });
    let notation: CallNotation | null = null;
    const restOf = (call: OpenCall, begun: string) => {
      notation = call.notation;
      return this.grammars.restOf(format, request, call, begun);
    };
    const unconstrainedAfterCalls = isUnconstrainedAfterCalls(format, grammar);
    const steering = { ...unlimited, unconstrainedAfterCalls, restOf };
    const response = new SteeredResponse({ ...steering, grammar, matcher, parser, guard });
    const events: ResponseEvent[] = [];
    const isRefused = insist(response, text, lengths, events);
    if (!cut && !isRefused && (response.matcher === null || response.matcher.complete)) response.end(null);
    else response.cutOff();
    const inForce = response.inOpenCall ? notation : response.constrained ? 'response' : null;
    const reached = response.text;
    return { message: response.finish().message, events, isRefused, text: reached, grammar: inForce };
  }
}

/** What else a response needs: no limits, and no tokens but letters. */
const unlimited = {
  markers: {
    leading: () => undefined,
    splitAtBeginnings: (text: string) => [{ text, special: false }],
  },
  stops: [],
  maxTokens: 10_000,
  thinkingBudget: 10_000,
  reasoningEnd: '',
  plainText: false,
};

/** Writes up to the end of the text or of the response; true if the grammar refuses a piece. */
function insist(
  response: SteeredResponse,
  text: string,
  lengths: readonly number[],
  events: ResponseEvent[],
): boolean {
  let turn = 0;
  for (let at = 0; at < text.length && !response.over; ) {
    const wanted = text.slice(at, endOfPiece(text, at + (lengths[turn++ % lengths.length] ?? 1)));
    const piece = response.matcher === null ? wanted : allowedPart(response.matcher, wanted);
    if (piece === '') return true;
    const { kept, events: more } = response.take({ spelling: piece, role: 'text', tokens: 1 });
    events.push(...more);
    at += (kept ?? piece).length;
  }
  return false;
}

/** No piece ends within a pair of surrogates. */
function endOfPiece(text: string, end: number): number {
  return /^[\udc00-\udfff]/.test(text.slice(end)) ? end + 1 : end;
}

/** A sampler would choose a shorter token if the longer one is not allowed. */
function allowedPart(matcher: Matcher, wanted: string): string {
  const bytes = new TextEncoder().encode(wanted);
  return new TextDecoder().decode(bytes.subarray(0, matcher.allowedLength(bytes)), { stream: true });
}
