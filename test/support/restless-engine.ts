/** An engine that draws at random what a mask allows, mostly what ends something, so that short responses end. */
import type {
  DrawnToken,
  Engine,
  EngineSequence,
  EngineTokenizer,
  Mask,
} from '../../src/runtime/engine/engine.ts';
import { tokenizerWith } from '../../src/testing/toy/tokenizer.ts';
import type { SpecialTexts } from '../../src/testing/toy/vocabulary.ts';
import type { Random } from './sample-grammar.ts';

/** Draws before all tokens are looked at. */
const tries = 40;

/** An engine, and what it draws by: to be set before a chat, which then is the same again. */
export interface RestlessEngine extends Engine {
  random: Random;
}

/** An engine with the toy's tokens and these special ones, under any template. */
export function restlessEngine(chatTemplate: string, specials: SpecialTexts, random: Random): RestlessEngine {
  const tokenizer = tokenizerWith(specials);
  const ending = idsWhere(tokenizer, (text, id) => /["}\]>]/.test(text) || tokenizer.endsGeneration(id));
  const all = idsWhere(tokenizer, () => true);
  const engine: RestlessEngine = {
    name: 'restless',
    model: 'restless',
    contextSize: 4096,
    disposed: false,
    chatTemplate,
    tokenizer,
    random,
    // What is drawn depends on nothing before it, so a sequence holds nothing.
    open: async (_prompt, _sampling, signal): Promise<EngineSequence> => ({
      cachedTokens: 0,
      next: async (_tokens, mask) => {
        signal?.throwIfAborted();
        return drawn(engine.random, mask, engine.random() < 0.5 ? ending : all, all);
      },
      back: async () => undefined,
      close: async () => undefined,
    }),
    dispose: async () => undefined,
  };
  return engine;
}

function idsWhere(
  { texts }: EngineTokenizer,
  chosen: (text: string, id: number) => boolean,
): readonly number[] {
  return texts.flatMap((text, id) => (chosen(text, id) ? [id] : []));
}

/** One of `liked` that may be drawn, or else one of `all`. */
function drawn(
  random: Random,
  mask: Mask | null,
  liked: readonly number[],
  all: readonly number[],
): DrawnToken {
  const may = (id: number) => (mask?.allows(id) ?? true) && mask?.bias?.get(id) !== Number.NEGATIVE_INFINITY;
  for (let tried = 0; tried < tries; tried += 1) {
    const token = liked[Math.floor(random() * liked.length)] ?? 0;
    if (may(token)) return { token };
  }
  const allowed = all.filter(may);
  const token = allowed[Math.floor(random() * allowed.length)];
  if (token === undefined) throw new Error('a mask that allows no token');
  return { token };
}
