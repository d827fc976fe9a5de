/** An engine that writes what a test says, after what the test says: no weights, and every token foreseeable. */
import { memoize } from '../format/memoize.ts';
import { readOptions, requireOption } from '../format/option-rules.ts';
import type {
  Engine,
  EnginePrompt,
  EngineSampling,
  EngineSequence,
  EngineTokenizer,
} from '../runtime/engine/engine.ts';
import { Sampler } from '../runtime/engine/sampling/sampler.ts';
import { vocabularyOf } from '../runtime/engine/tokens/vocabulary.ts';
import {
  type ScriptedEngineOptions,
  type ScriptedTurn,
  scriptedEngineRules,
  specialsOf,
} from './engine-options.ts';
import { SampledSequence } from './evaluator/sampled-sequence.ts';
import { Script } from './evaluator/script.ts';
import { ScriptedText, type ScriptedTokens } from './evaluator/scripted-text.ts';
import { toyTemplates } from './toy/templates.ts';
import { tokenizerWith } from './toy/tokenizer.ts';

const defaultContextSize = 8192;

/**
 * An engine that answers each prompt with the turn whose `after` comes last in it, and with an empty answer where none
 * does. What a grammar does not allow of a script is passed over, and the script goes on after it. Throws
 * `UnsupportedOptionError` for an invalid option.
 */
export function scriptedEngine(given: ScriptedEngineOptions): Engine {
  const options = readOptions(given, scriptedEngineRules);
  requireOption('turns', options.turns, scriptedEngineRules.turns);
  const { format = 'json', turns, name = 'scripted', contextSize = defaultContextSize } = options;
  const { chatTemplate = toyTemplates[format] } = options;
  const tokenizer = tokenizerWith(specialsOf(options));
  const scriptAfter = scriptFinder(turns, tokenizer);
  return new ScriptedEngine({ model: name, contextSize, chatTemplate, tokenizer, scriptAfter });
}

/** What a scripted engine is made of. */
interface ScriptedEngineParts {
  readonly model: string;
  readonly contextSize: number;
  readonly chatTemplate: string;
  readonly tokenizer: EngineTokenizer;
  /** What is written after a prompt. */
  scriptAfter(prompt: EnginePrompt): StartedScript;
}

/** A script, and the number of tokens before its response. */
interface StartedScript {
  readonly script: Script;
  readonly start: number;
}

/** An engine that writes scripts. */
export class ScriptedEngine implements Engine {
  readonly name = 'JavaScript';
  readonly model: string;
  readonly contextSize: number;
  readonly chatTemplate: string;
  readonly tokenizer: EngineTokenizer;
  readonly #scriptAfter: ScriptedEngineParts['scriptAfter'];
  #disposed = false;

  constructor({ model, contextSize, chatTemplate, tokenizer, scriptAfter }: ScriptedEngineParts) {
    this.model = model;
    this.contextSize = contextSize;
    this.chatTemplate = chatTemplate;
    this.tokenizer = tokenizer;
    this.#scriptAfter = scriptAfter;
  }

  get disposed(): boolean {
    return this.#disposed;
  }

  async open(prompt: EnginePrompt, sampling: EngineSampling, signal?: AbortSignal): Promise<EngineSequence> {
    const { texts } = this.tokenizer;
    const text = this.textAfter(prompt);
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

  /** What is written after a prompt, of which nothing is evaluated yet. */
  protected textAfter(prompt: EnginePrompt): ScriptedText {
    const { script, start } = this.#scriptAfter(prompt);
    return new ScriptedText(start, script, scriptedTokens(this.tokenizer));
  }
}

/** The script of these tokens. */
export function scriptOf(tokens: readonly number[], tokenizer: EngineTokenizer): Script {
  const { bytes } = scriptedTokens(tokenizer);
  return new Script(tokens.map((token) => ({ token, bytes: bytes[token] ?? '' })));
}

/** Finds the script of the turn whose `after` comes last in a prompt; of several that end there, the longest. */
function scriptFinder(
  turns: readonly ScriptedTurn[],
  tokenizer: EngineTokenizer,
): ScriptedEngineParts['scriptAfter'] {
  const scripts = turns.map(({ after = '', script }) => ({
    after,
    script: scriptOf(encodeScript(script, tokenizer), tokenizer),
  }));
  return ({ tokens, responseStart = tokens.length }) => {
    const text = textOf(tokens.slice(0, responseStart), tokenizer);
    let best: { readonly end: number; readonly length: number; readonly script: Script } | undefined;
    for (const { after, script } of scripts) {
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
    return { script: best?.script ?? new Script([]), start: responseStart };
  };
}

function textOf(tokens: readonly number[], tokenizer: EngineTokenizer): string {
  const { bytes } = scriptedTokens(tokenizer);
  const joined = tokens.map((token) => bytes[token] ?? '').join('');
  return new TextDecoder().decode(Uint8Array.from(joined, (byte) => byte.charCodeAt(0)));
}

/** The tokens of a script. In a whole text, markers are the tokens that they are; a longer piece spells them out. */
function encodeScript(script: ScriptedTurn['script'], tokenizer: EngineTokenizer): readonly number[] {
  if (typeof script === 'string') return tokenizer.tokenize(script, true);
  const vocabulary = vocabularyOf(tokenizer);
  return script.flatMap((piece) => {
    const special = vocabulary.specials.get(piece);
    return special === undefined ? vocabulary.encodePlain(piece) : [special.token];
  });
}

const scriptedTokens = memoize((tokenizer: EngineTokenizer): ScriptedTokens => {
  const vocabulary = vocabularyOf(tokenizer);
  const bytes = tokenizer.texts.map((_, token) => binary(vocabulary.bytesOf(token)));
  const ordinary = new Map(
    bytes.flatMap((each, token) => (vocabulary.isSpecial(token) ? [] : [[each, token] as const])),
  );
  return {
    bytes,
    longest: (wanted) => {
      for (let length = wanted.length; length > 0; length -= 1) {
        const token = ordinary.get(wanted.slice(0, length));
        if (token !== undefined) return token;
      }
      return undefined;
    },
    end: tokenizer.texts.indexOf(tokenizer.eosToken ?? ''),
    otherwise: Float32Array.from(bytes, (text, token) =>
      closingLogit(text, vocabulary.endsGeneration(token)),
    ),
  };
});

/** Ends come first, then what closes a value or a call. */
function closingLogit(text: string, ends: boolean): number {
  if (ends) return 3;
  return /^(?:["}\]]|<\/?)/.test(text) ? 2 : 0;
}

/** Bytes as the characters of their codes. */
function binary(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}
