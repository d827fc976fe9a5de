/**
 * llama.cpp's grammar states at positions of a grammar. To create one, the engine must parse the text of a grammar;
 * copying one that has not accepted anything is about ten times cheaper. So one state per position is kept for copying.
 */
import { LlamaGrammar, LlamaGrammarEvaluationState, type LlamaModel } from 'node-llama-cpp';
import { GrammarError } from '../../format/errors.ts';
import { memoize } from '../../format/memoize.ts';
import { requireBounded } from '../../language/gbnf/engine-limits.ts';
import type { GrammarAt, Mask } from '../engine/engine.ts';
import { isLarge } from '../engine/masks/large-grammars.ts';

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

  at(grammar: GrammarAt): LlamaGrammarEvaluationState {
    const place = grammar.state;
    const kept = this.#kept.get(place) ?? this.#make(place, grammar.gbnf());
    this.#uses.delete(kept.use);
    this.#uses.add(kept.use);
    return kept.fresh.clone();
  }

  #make(place: object, gbnf: string): KeptState {
    const model = this.#model;
    const fresh = buildState(gbnf, model);
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

/** llama.cpp's state at the beginning of `grammar`. Throws `GrammarError` if the engine rejects it. */
function engineState(grammar: GrammarAt, model: LlamaModel): LlamaGrammarEvaluationState {
  return statesOf(model).at(grammar);
}

/** llama.cpp's state in the grammar of one response, which accepts what is drawn under it. */
export class FollowedState {
  readonly #model: LlamaModel;
  #state: LlamaGrammarEvaluationState | undefined;

  constructor(model: LlamaModel) {
    this.#model = model;
  }

  /** The state of the last `follow`; `undefined` if no grammar of the engine's restricts what is drawn. */
  get now(): LlamaGrammarEvaluationState | undefined {
    return this.#state;
  }

  /** Moves to the position of `mask`: if it does not follow the last draw, with a new state. */
  follow(mask: Mask | null): LlamaGrammarEvaluationState | undefined {
    const grammar = mask?.grammar ?? null;
    if (grammar === null || isLarge(grammar)) this.#state = undefined;
    else if (mask?.follows !== true || this.#state === undefined)
      this.#state = engineState(grammar, this.#model);
    return this.#state;
  }
}

const built = new WeakSet<GrammarAt>();

/** Lets the engine build `grammar`, once, if it shall read it at all. Throws `GrammarError`. */
export function requireBuildable(grammar: GrammarAt, model: LlamaModel): void {
  if (!built.has(grammar) && !isLarge(grammar)) engineState(grammar, model);
  built.add(grammar);
}

function buildState(gbnf: string, model: LlamaModel): LlamaGrammarEvaluationState {
  requireBounded(gbnf);
  try {
    const grammar = new LlamaGrammar(model.llama, { grammar: gbnf });
    return new LlamaGrammarEvaluationState({ model, grammar });
  } catch (cause) {
    const reason = `llama.cpp refuses a grammar of ${gbnf.length} characters: ${String(cause)}`;
    throw new GrammarError({ reason });
  }
}
