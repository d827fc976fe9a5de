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
  const { texts, spelling, firstToken, bosToken, eosToken, indexStore } = tokenizer;
  return {
    texts,
    spelling,
    ...withoutUndefined({ firstToken, bosToken, eosToken, indexStore }),
    typeOf: (token) => {
      // Each token is asked about: a function for each would take longer than the answer.
      try {
        return tokenizer.typeOf(token);
      } catch (cause) {
        throw tokenizerFailure(cause);
      }
    },
    endsGeneration: (token) => {
      try {
        return tokenizer.endsGeneration(token);
      } catch (cause) {
        throw tokenizerFailure(cause);
      }
    },
    absorbsSpace: (token) => ofTokenizer(() => tokenizer.absorbsSpace?.(token) ?? false),
    tokenize: (text, special) => ofTokenizer(() => tokenizer.tokenize(text, special)),
  };
}

const tokenizerName = 'the tokenizer';

function tokenizerFailure(cause: unknown): IdiolectError {
  return engineFailure(tokenizerName, cause);
}

function ofTokenizer<Result>(ask: () => Result): Result {
  return fromEngine(tokenizerName, ask);
}
