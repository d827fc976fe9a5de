/** An engine that writes what a test says, after what the test says: no weights, and every token foreseeable. */
import { readOptions, requireOption } from '../format/option-rules.ts';
import { SpecialFinder } from '../runtime/chat/special-finder.ts';
import type {
  Engine,
  EnginePrompt,
  EngineSampling,
  EngineSequence,
  EngineTokenizer,
} from '../runtime/engine/engine.ts';
import {
  type ScriptedEngineOptions,
  type ScriptedTurn,
  scriptedEngineRules,
  specialsOf,
} from './engine-options.ts';
import { bytesOfSpelling } from './evaluator/byte-pairs.ts';
import { fileTokenizer } from './evaluator/file-tokenizer.ts';
import { SampledSequence } from './evaluator/sampled-sequence.ts';
import { Sampler } from './evaluator/sampler.ts';
import { Script } from './evaluator/script.ts';
import { ScriptedText, type ScriptedTokens } from './evaluator/scripted-text.ts';
import { toyTemplates } from './toy/templates.ts';
import { vocabularyWith } from './toy/vocabulary.ts';

const defaultContextSize = 8192;

/**
 * An engine that answers each prompt with the turn whose `after` comes last in it, and with an empty answer where none
 * does. What a grammar does not allow of a script is passed over, and the script goes on after it. Throws
 * `UnsupportedOptionError` for an invalid option.
 */
export function scriptedEngine(given: ScriptedEngineOptions): Engine {
  const options = readOptions(given, scriptedEngineRules);
  requireOption('turns', options.turns, scriptedEngineRules.turns);
  return new ScriptedEngine(options);
}

class ScriptedEngine implements Engine {
  readonly name = 'JavaScript';
  readonly model: string;
  readonly contextSize: number;
  readonly chatTemplate: string;
  readonly tokenizer: EngineTokenizer;
  readonly #turns: readonly { readonly after: string; readonly script: Script }[];
  readonly #tokens: ScriptedTokens;
  #disposed = false;

  constructor(options: ScriptedEngineOptions) {
    const { format = 'json', turns, name = 'scripted' } = options;
    this.model = name;
    this.contextSize = options.contextSize ?? defaultContextSize;
    this.chatTemplate = options.chatTemplate ?? toyTemplates[format];
    this.tokenizer = fileTokenizer(vocabularyWith(specialsOf(options)).metadata);
    this.#tokens = scriptedTokens(this.tokenizer);
    const encode = scriptEncoder(this.tokenizer);
    const { bytes } = this.#tokens;
    this.#turns = turns.map(({ after = '', script }) => ({
      after,
      script: new Script(encode(script).map((token) => ({ token, bytes: bytes[token] ?? '' }))),
    }));
  }

  get disposed(): boolean {
    return this.#disposed;
  }

  async open(prompt: EnginePrompt, sampling: EngineSampling, signal?: AbortSignal): Promise<EngineSequence> {
    const { texts } = this.tokenizer;
    const text = new ScriptedText(prompt.tokens.length, this.#scriptAfter(prompt.tokens), this.#tokens);
    const sequence = new SampledSequence(text, {
      sampler: new Sampler(sampling, (token) => texts[token] ?? ''),
      cachedTokens: 0,
      contextSize: this.contextSize,
      isDisposed: () => this.#disposed,
      signal,
      closed: () => undefined,
    });
    await sequence.evaluate(prompt.tokens.slice(0, -1));
    return sequence;
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
  }

  /** The script of the turn whose `after` comes last in the prompt; of several that end there, the longest. */
  #scriptAfter(prompt: readonly number[]): Script {
    const { bytes } = this.#tokens;
    const text = new TextDecoder().decode(
      Uint8Array.from(prompt.map((token) => bytes[token] ?? '').join(''), (byte) => byte.charCodeAt(0)),
    );
    let best: { readonly end: number; readonly length: number; readonly script: Script } | undefined;
    for (const { after, script } of this.#turns) {
      const start = text.lastIndexOf(after);
      const [end, { length }] = [start + after.length, after];
      if (
        start < 0 ||
        (best !== undefined && (end < best.end || (end === best.end && length <= best.length)))
      )
        continue;
      // An empty `after` says nothing about the prompt: any other comes first.
      best = { end: length === 0 ? -1 : end, length, script };
    }
    return best?.script ?? new Script([]);
  }
}

/** The tokens of a script. In a whole text, markers are the tokens that they are; a longer piece spells them out. */
function scriptEncoder(tokenizer: EngineTokenizer): (script: ScriptedTurn['script']) => readonly number[] {
  const specials = specialTokens(tokenizer);
  const finder = new SpecialFinder(specials);
  const known = new Map(specials.map(({ text, token }) => [text, token]));
  const encodePiece = (piece: string): readonly number[] => {
    const special = known.get(piece);
    if (special !== undefined) return [special];
    const cuts = [...finder.cutsInside(piece), piece.length];
    return cuts.flatMap((end, index) => tokenizer.tokenize(piece.slice(cuts[index - 1] ?? 0, end), false));
  };
  return (script) =>
    typeof script === 'string' ? tokenizer.tokenize(script, true) : script.flatMap(encodePiece);
}

interface Special {
  readonly token: number;
  readonly text: string;
}

function specialTokens(tokenizer: EngineTokenizer): readonly Special[] {
  return tokenizer.texts.flatMap((text, token) =>
    isSpecial(tokenizer.typeOf(token)) ? [{ token, text }] : [],
  );
}

function isSpecial(type: ReturnType<EngineTokenizer['typeOf']>): boolean {
  return type === 'control' || type === 'user-defined';
}

function scriptedTokens(tokenizer: EngineTokenizer): ScriptedTokens {
  const { texts } = tokenizer;
  const bytes = texts.map((text, token) =>
    isSpecial(tokenizer.typeOf(token)) ? binary(new TextEncoder().encode(text)) : bytesOfSpelling(text),
  );
  const ordinary = new Map<string, number>();
  for (const [token, each] of bytes.entries())
    if (!isSpecial(tokenizer.typeOf(token))) ordinary.set(each, token);
  return {
    bytes,
    longest: (wanted) => {
      for (let length = wanted.length; length > 0; length -= 1) {
        const token = ordinary.get(wanted.slice(0, length));
        if (token !== undefined) return token;
      }
      return undefined;
    },
    end: texts.indexOf(tokenizer.eosToken ?? ''),
    otherwise: Float32Array.from(texts, (text, token) => closingLogit(text, tokenizer.endsGeneration(token))),
  };
}

/** Ends come first, then what closes a value or a call. */
function closingLogit(text: string, ends: boolean): number {
  if (ends) return 3;
  return /^(?:["}\]]|<\/?)/.test(text) ? 2 : 0;
}

function binary(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}
