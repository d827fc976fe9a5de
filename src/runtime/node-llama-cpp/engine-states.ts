/**
 * States of llama.cpp's grammar at the places of ours. Making one means that the engine reads the text of
 * a grammar; copying one that nothing was accepted into yet is about ten times cheaper, so of each place
 * one is kept to be copied.
 */
import { type Llama, LlamaGrammar, LlamaGrammarEvaluationState, type LlamaModel } from 'node-llama-cpp';
import { GrammarError } from '../../format/errors.ts';
import type { Matcher } from '../../grammar/matcher/matcher.ts';

/** Characters of grammars whose states are kept; the engine takes some twenty bytes for each. */
const keptCharacters = 2_000_000;

interface KeptState {
  readonly fresh: LlamaGrammarEvaluationState;
  readonly use: Use;
}

/** A place that was used. Weak: what belongs to a grammar that is no longer used is not kept. */
interface Use {
  readonly place: WeakRef<object>;
  readonly characters: number;
}

/** The states of one model. */
class EngineStates {
  readonly #model: LlamaModel;
  readonly #kept = new WeakMap<object, KeptState>();
  /** The latest stands last. */
  readonly #uses = new Set<Use>();
  #characters = 0;

  constructor(model: LlamaModel) {
    this.#model = model;
  }

  at(matcher: Matcher): LlamaGrammarEvaluationState {
    const place = matcher.state;
    const kept = this.#kept.get(place) ?? this.#make(place, matcher.gbnf());
    this.#uses.delete(kept.use);
    this.#uses.add(kept.use);
    return kept.fresh.clone();
  }

  #make(place: object, gbnf: string): KeptState {
    const model = this.#model;
    const fresh = new LlamaGrammarEvaluationState({ model, grammar: buildGrammar(gbnf, model.llama) });
    const kept = { fresh, use: { place: new WeakRef(place), characters: gbnf.length } };
    this.#kept.set(place, kept);
    this.#characters += gbnf.length;
    this.#forget();
    return kept;
  }

  #forget(): void {
    for (const use of this.#uses) {
      if (this.#characters <= keptCharacters) return;
      const place = use.place.deref();
      if (place !== undefined) this.#kept.delete(place);
      this.#uses.delete(use);
      this.#characters -= use.characters;
    }
  }
}

const states = new WeakMap<LlamaModel, EngineStates>();

/**
 * A state of llama.cpp's grammar of everything that may follow where `matcher` stands. Throws
 * `GrammarError` when the engine refuses it.
 */
export function engineState(matcher: Matcher, model: LlamaModel): LlamaGrammarEvaluationState {
  const ofModel = states.get(model) ?? new EngineStates(model);
  states.set(model, ofModel);
  return ofModel.at(matcher);
}

const built = new WeakSet<Matcher>();

/**
 * Lets the engine build the grammar that `matcher` stands before, once: what it refuses is an error before
 * the first token, and not when a trigger comes. Throws `GrammarError`.
 */
export function requireBuildable(matcher: Matcher, model: LlamaModel): void {
  if (!built.has(matcher)) engineState(matcher, model);
  built.add(matcher);
}

function buildGrammar(gbnf: string, llama: Llama): LlamaGrammar {
  try {
    return new LlamaGrammar(llama, { grammar: gbnf });
  } catch (cause) {
    const reason = `llama.cpp refuses a grammar of ${gbnf.length} characters: ${String(cause)}`;
    throw new GrammarError({ reason });
  }
}
