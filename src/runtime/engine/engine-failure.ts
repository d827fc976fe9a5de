/** Errors of engines are of many kinds: whoever chats gets a typed one, whichever of their functions has thrown. */
import { DecodingError, IdiolectError } from '../../format/errors.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import type { EngineTokenizer } from './engine.ts';

/** The error that stands for what `engine` has thrown, after it wrote `text`. */
export function engineFailure(engine: string, cause: unknown, text = ''): IdiolectError {
  if (cause instanceof IdiolectError) return cause;
  return new DecodingError({ reason: `${engine} stopped: ${String(cause)}`, text, cause });
}

/** What an engine answers at once. Throws `DecodingError`, and typed errors of its own. */
export function fromEngine<Result>(engine: string, ask: () => Result): Result {
  try {
    return ask();
  } catch (cause) {
    throw engineFailure(engine, cause);
  }
}

/** What an engine answers later. Throws the same, and the signal's reason. */
export async function laterFromEngine<Result>(
  engine: string,
  ask: () => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  try {
    return await ask();
  } catch (cause) {
    signal?.throwIfAborted();
    throw engineFailure(engine, cause);
  }
}

/** The tokenizer with typed errors. */
export function typedTokenizer(tokenizer: EngineTokenizer): EngineTokenizer {
  const { texts, spelling, firstToken, bosToken, eosToken } = tokenizer;
  const ask = <Result>(asked: () => Result): Result => fromEngine('the tokenizer', asked);
  return {
    texts,
    spelling,
    ...withoutUndefined({ firstToken, bosToken, eosToken }),
    typeOf: (token) => ask(() => tokenizer.typeOf(token)),
    endsGeneration: (token) => ask(() => tokenizer.endsGeneration(token)),
    absorbsSpace: (token) => ask(() => tokenizer.absorbsSpace?.(token) ?? false),
    tokenize: (text, special) => ask(() => tokenizer.tokenize(text, special)),
  };
}
