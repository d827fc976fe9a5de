/** An engine without a model: it would write a given text, byte by byte, and asks a mask in one of three ways. */
import { createGbnfMatcher } from '../../src/index.ts';
import type { Matcher } from '../../src/language/matcher/matcher.ts';
import type {
  BiasedPart,
  DrawnToken,
  Engine,
  EnginePrompt,
  EngineSequence,
  EngineTokenizer,
  Mask,
  TokenBiases,
} from '../../src/runtime/engine/index.ts';
import { type ToyFormat, toyTemplates } from '../../src/testing/toy/templates.ts';
import { toyControls, toyMarkers } from '../../src/testing/toy/tokens.ts';

const byteTexts = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
);
/** Pairs of letters, which it never draws: in text, there are too many tokens for a list. */
const letters = [...'abcdefghijklmnop'];
const pairs = letters.flatMap((one) => letters.map((other) => one + other));
const texts = [...byteTexts, ...toyControls, ...toyMarkers, ...pairs];
const specials = new Map<string, number>(
  [...toyControls, ...toyMarkers].map((text, index) => [text, 256 + index]),
);
const [controls, markers] = [256 + toyControls.length, 256 + specials.size];
const ends = ['<|endoftext|>', '<|im_end|>', '<|return|>', '<|call|>'].map((text) => specials.get(text));
/** Markers, longest first; the texts of tokens hold no other signs than these. */
const marker = /<\|?\/?[a-z_]+\|?>/g;

/** One token for each byte, and the toy's special ones. */
export const byteTokenizer: EngineTokenizer = {
  texts,
  spelling: 'verbatim',
  typeOf: (token) => {
    if (token < 256) return 'byte';
    if (token < controls) return 'control';
    return token < markers ? 'user-defined' : 'normal';
  },
  endsGeneration: (token) => ends.includes(token),
  tokenize: (text, special) => {
    const bytes = (part: string): number[] => [...new TextEncoder().encode(part)];
    if (!special) return bytes(text);
    const tokens: number[] = [];
    let done = 0;
    for (const { 0: found, index } of text.matchAll(marker)) {
      const token = specials.get(found);
      if (token === undefined) continue;
      tokens.push(...bytes(text.slice(done, index)), token);
      done = index + found.length;
    }
    return [...tokens, ...bytes(text.slice(done))];
  },
};

/** UTF-8 of a token. */
function bytesOf(token: number): Uint8Array {
  return token < 256 ? Uint8Array.of(token) : new TextEncoder().encode(texts[token]);
}

/** What an engine asks of a mask. */
export type Question = 'few' | 'allows' | 'grammar';

/** See the top of this file. It throws where a caller breaks the contract of `EngineSequence`. */
export class FakeEngine implements Engine {
  readonly name = 'fake';
  readonly model = 'a script';
  readonly tokenizer = byteTokenizer;
  readonly refused = { xtc: 'it draws the likeliest token' };
  readonly contextSize: number;
  readonly chatTemplate: string;
  /** What it would write; then it would end its turn. */
  script = '';
  asks: Question = 'few';
  /** Draws a token that the mask forbids, instead of the one after so many. */
  disobeysAt: number | null = null;
  /** Whether it reports probabilities. */
  reports = false;
  /** The tokens that the last sequence was left with. */
  written: readonly number[] = [];
  disposed = false;
  /** Sequences that are not closed yet. */
  sequences = 0;
  /** Evaluations, and times that something was taken back. */
  passes = 0;
  backs = 0;

  constructor(format: ToyFormat, contextSize = 4096) {
    this.contextSize = contextSize;
    this.chatTemplate = toyTemplates[format];
  }

  async open(prompt: EnginePrompt, _: unknown, signal?: AbortSignal): Promise<EngineSequence> {
    signal?.throwIfAborted();
    this.sequences += 1;
    return new FakeSequence(this, prompt);
  }

  async dispose(): Promise<void> {
    this.disposed = true;
  }
}

class FakeSequence implements EngineSequence {
  readonly cachedTokens = 0;
  readonly #engine: FakeEngine;
  readonly #script: readonly number[];
  readonly #tokens: number[];
  readonly #responseStart: number;
  #own: Matcher | null = null;
  #draws = 0;

  constructor(engine: FakeEngine, { tokens, responseStart = tokens.length }: EnginePrompt) {
    this.#engine = engine;
    this.#responseStart = responseStart;
    this.#tokens = tokens.slice(0, -1);
    this.#script = byteTokenizer.tokenize(engine.script, true);
  }

  async next(tokens: readonly number[], mask: Mask | null): Promise<DrawnToken> {
    this.#push(tokens);
    this.#follow(mask);
    const { asks, disobeysAt } = this.#engine;
    const isAllowed = this.#isAllowed(mask, asks);
    const wanted = this.#draws === disobeysAt ? (token: number) => !isAllowed(token) : isAllowed;
    this.#draws += 1;
    const token = this.#likeliest(mask?.bias ?? null).find(wanted);
    if (token === undefined) throw new Error('nothing may be drawn');
    if (!byteTokenizer.endsGeneration(token)) this.#own?.accept(bytesOf(token));
    return this.#engine.reports ? { token, confidence: 1 } : { token };
  }

  async drawAfterEach(parts: readonly BiasedPart[]): Promise<readonly number[]> {
    this.#engine.passes -= parts.length - 1;
    return parts.map(({ tokens, bias }) => {
      this.#push(tokens);
      return this.#likeliest(bias)[0] ?? 0;
    });
  }

  async back(length: number): Promise<void> {
    if (length > this.#tokens.length) throw new Error('it does not hold that many');
    this.#engine.backs += 1;
    this.#tokens.length = length;
  }

  async close(): Promise<void> {
    this.#engine.sequences -= 1;
    this.#engine.written = [...this.#tokens];
  }

  #push(tokens: readonly number[]): void {
    if (tokens.length === 0) throw new Error('nothing to evaluate');
    this.#engine.passes += 1;
    this.#tokens.push(...tokens);
    if (this.#tokens.length >= this.#engine.contextSize) throw new Error('the context is full');
  }

  /** A grammar of its own, as llama.cpp keeps one: told whether it is at the position, and never where that is. */
  #follow(mask: Mask | null): void {
    if (mask === null || mask.grammar === null) this.#own = null;
    else if (!mask.follows) this.#own = createGbnfMatcher(mask.grammar.gbnf());
    else if (this.#own === null) throw new Error('there is nothing that it could follow');
  }

  #isAllowed(mask: Mask | null, asks: Question): (token: number) => boolean {
    if (mask === null) return () => true;
    const own = this.#own;
    if (asks === 'grammar' && own !== null) return (token) => isAllowedBy(own, token);
    const few = asks === 'few' ? mask.few() : null;
    return few === null ? (token) => mask.allows(token) : (token) => few.includes(token);
  }

  /** All tokens, the next of the script first; then those that end things. */
  #likeliest(bias: TokenBiases | null): readonly number[] {
    const written = this.#tokens.slice(Math.max(this.#responseStart, this.#tokens.length - longestTail));
    const next = nextOf(this.#script, written) ?? specials.get('<|im_end|>');
    const logits = texts.map((_, token) => {
      const own = token === next ? 30 : token === 0x22 ? 20 : token === 0x7d ? 10 : -token / 1000;
      return own + (bias?.get(token) ?? 0);
    });
    const possible = [...logits.keys()].filter((token) => (logits[token] ?? 0) > -Infinity);
    return possible.sort((one, other) => (logits[other] ?? 0) - (logits[one] ?? 0));
  }
}

/** So many of the latest tokens say where in its script it is. */
const longestTail = 12;

/** The token that follows the longest end of `written` that is in `script`; its first token if there is none. */
function nextOf(script: readonly number[], written: readonly number[]): number | undefined {
  let [longest, next] = [0, 0];
  for (let end = 1; end <= script.length; end++) {
    let length = 0;
    while (length < Math.min(end, written.length) && script[end - 1 - length] === written.at(-1 - length))
      length++;
    if (length > longest) [longest, next] = [length, end];
  }
  return script[next];
}

/** Whether a grammar of the engine's own lets the token through. */
function isAllowedBy(own: Matcher, token: number): boolean {
  return byteTokenizer.endsGeneration(token) ? own.complete : own.allows(bytesOf(token));
}
