/**
 * llama.cpp's grammar states at positions of our matcher. To create one, the engine must parse the text of a grammar;
 * copying one that has not accepted anything is about ten times cheaper. So one state per position is kept for copying.
 */
import { type Llama, LlamaGrammar, LlamaGrammarEvaluationState, type LlamaModel } from 'node-llama-cpp';
import { GrammarError } from '../../format/errors.ts';
import { memoize } from '../../format/memoize.ts';
import type { Matcher } from '../../language/matcher/matcher.ts';

/** Total length of the grammars whose states are kept; the engine needs about twenty bytes per character. */
const keptCharacters = 2_000_000;

interface KeptState {
  readonly fresh: LlamaGrammarEvaluationState;
  readonly use: Use;
}

/** A position that was used. Weak, so that unused grammars are not kept alive. */
interface Use {
  readonly place: WeakRef<object>;
  readonly characters: number;
}

/** The states of one model. */
class EngineStates {
  readonly #model: LlamaModel;
  readonly #kept = new WeakMap<object, KeptState>();
  /** In order of last use. */
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

const statesOf = memoize((model: LlamaModel) => new EngineStates(model));

/**
 * llama.cpp's state for the grammar of everything that may follow the position of `matcher`. Throws `GrammarError` if
 * the engine rejects it.
 */
export function engineState(matcher: Matcher, model: LlamaModel): LlamaGrammarEvaluationState {
  return statesOf(model).at(matcher);
}

const built = new WeakSet<Matcher>();

/**
 * Lets the engine build the grammar at whose beginning `matcher` is, once, so that a rejection is an error before the
 * first token instead of at a trigger. Throws `GrammarError`.
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
