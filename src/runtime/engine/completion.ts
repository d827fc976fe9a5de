/** The continuation of a text without a conversation: no template, no format, no calls. */
import { ContextOverflowError, UnsupportedOptionError } from '../../format/errors.ts';
import { once } from '../../format/memoize.ts';
import { readOptions, requireOption, string } from '../../format/option-rules.ts';
import { finishInTurns } from '../../language/expression/steps.ts';
import { PieceDecoder } from '../../language/utf8-decoder.ts';
import type { Finish, ResponseEvent, ResponseMessage, Usage } from '../../parser/events.ts';
import { type ChatStream, streamChat } from '../chat/chat-stream.ts';
import { withDefaultSampling } from '../chat/sampling-rules.ts';
import { StopWatch, type TextPiece } from '../chat/steering/stop-watch.ts';
import { TokenCount } from '../chat/token-usage.ts';
import { type CompletionOptions, completionRules } from './completion-options.ts';
import { logitBiasOf } from './decoding/logit-bias.ts';
import { OpenSequence } from './decoding/open-sequence.ts';
import type { Engine } from './engine.ts';
import { biasMask } from './masks/mask.ts';
import { requireFits } from './tokens/prompt-tokens.ts';
import { type Vocabulary, vocabularyOf } from './tokens/vocabulary.ts';

/** Begins a completion, which runs as the stream is read. The stream throws `UnsupportedOptionError` for an invalid option. */
export function startCompletion(engine: Engine, given: CompletionOptions): ChatStream {
  const prepare = once(async (): Promise<Completion> => {
    const options = readOptions(given, completionRules);
    requireOption('prompt', options.prompt, string);
    return new Completion(engine, options, await promptTokens(engine, options));
  });
  return streamChat(
    {
      generate: (started) => generate(prepare, started),
      report: async () => {
        await prepare();
        return [];
      },
      prompt: async () => given.prompt,
      promptTokens: async () => (await prepare()).tokens.length,
    },
    {},
  );
}

/** Throws `ContextOverflowError`, `UnsupportedOptionError` for a prompt of no tokens, and the signal's reason. */
async function promptTokens(
  { tokenizer, contextSize: available }: Engine,
  { prompt, signal }: CompletionOptions,
): Promise<readonly number[]> {
  const vocabulary = vocabularyOf(tokenizer);
  requireFits(prompt, vocabulary, available);
  const steps = vocabulary.encodePromptSteps([{ text: prompt, special: true }]);
  const tokens = await finishInTurns(steps, signal);
  if (tokens.length === 0) {
    const reason = 'must have at least one token, because this model begins no text by itself';
    throw new UnsupportedOptionError({ option: 'prompt', reason });
  }
  const needed = tokens.length + 1;
  if (needed > available) throw new ContextOverflowError({ needed, available });
  return tokens;
}

async function* generate(
  prepare: () => Promise<Completion>,
  started: (run: Completion) => void,
): AsyncGenerator<ResponseEvent, ResponseMessage> {
  const completion = await prepare();
  started(completion);
  return yield* completion.write();
}

/** One completion. */
class Completion {
  readonly tokens: readonly number[];
  readonly #engine: Engine;
  readonly #options: CompletionOptions;
  readonly #vocabulary: Vocabulary;
  readonly #stops: StopWatch;
  readonly #decoder = new PieceDecoder();
  readonly #count = new TokenCount();
  #text = '';

  constructor(engine: Engine, options: CompletionOptions, tokens: readonly number[]) {
    this.#engine = engine;
    this.#options = options;
    this.#vocabulary = vocabularyOf(engine.tokenizer);
    this.#stops = new StopWatch(options.stop ?? []);
    this.tokens = tokens;
  }

  get text(): string {
    return this.#text;
  }

  get usage(): Usage {
    return this.#count.usage;
  }

  finish(): { readonly message: ResponseMessage } {
    return { message: { role: 'assistant', content: this.#text } };
  }

  async *write(): AsyncGenerator<ResponseEvent, ResponseMessage> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const prompt = { tokens: this.tokens, turnStart: this.tokens.length };
    const sampling = withDefaultSampling(this.#options);
    const sequence = await OpenSequence.open(this.#engine, prompt, sampling, this);
    try {
      this.#count.follow({ promptTokens: this.tokens.length, cachedTokens: sequence.cachedTokens });
      yield { type: 'text-start', id, start: 0, end: 0 };
      const end = yield* this.#sample(sequence);
      yield { type: 'text-end', id, start: this.#text.length, end: this.#text.length };
      yield { ...end, usage: this.usage };
    } finally {
      await sequence.close();
    }
    signal?.throwIfAborted();
    return this.finish().message;
  }

  async *#sample(sequence: OpenSequence): AsyncGenerator<ResponseEvent, Finish> {
    const { maxTokens = Number.POSITIVE_INFINITY, signal } = this.#options;
    const mask = biasMask(logitBiasOf(this.#options, this.#vocabulary), true);
    for (
      let written = 0;
      written < maxTokens && sequence.tokens.length < sequence.contextSize;
      written += 1
    ) {
      signal?.throwIfAborted();
      const { token } = await sequence.next(mask);
      if (this.#vocabulary.endsGeneration(token)) {
        yield* this.#show([...this.#stops.end(null), asPiece(this.#decoder.end())]);
        return this.#end('stop');
      }
      this.#count.add(1);
      const { pieces, stopped, stop } = this.#stops.pass(asPiece(this.#textOf(token)));
      yield* this.#show(pieces);
      if (stopped) return { ...this.#end('stop'), ...(stop === undefined ? {} : { stopSequence: stop }) };
      sequence.write([token]);
    }
    yield* this.#show([...this.#stops.cutOff(), asPiece(this.#decoder.end())]);
    return this.#end('length');
  }

  /** Control tokens are no text. */
  #textOf(token: number): string {
    return this.#vocabulary.isControl(token) ? '' : this.#decoder.decode(this.#vocabulary.bytesOf(token));
  }

  *#show(pieces: readonly TextPiece[]): Generator<ResponseEvent> {
    const delta = pieces.map(({ text }) => text).join('');
    if (delta === '') return;
    const start = this.#text.length;
    this.#text += delta;
    yield { type: 'text-delta', id, delta, start, end: this.#text.length };
  }

  #end(reason: Finish['reason']): Finish {
    return { type: 'finish', reason, start: this.#text.length, end: this.#text.length };
  }
}

const id = 'text-0';

function asPiece(text: string): TextPiece {
  return { text, role: 'text' };
}
