/**
 * An inference server without a network, in the words of llama-server or of vLLM and SGLang (`server-words.ts`), with an
 * engine in this process after it. What it writes under a grammar, the matcher has checked.
 */
import { createGbnfMatcher } from '../../src/language/gbnf/gbnf-expression.ts';
import type { Matcher } from '../../src/language/matcher/matcher.ts';
import type { Engine, EngineSampling, EngineTokenizer, Mask } from '../../src/runtime/engine/engine.ts';
import { biasMask, GrammarMask } from '../../src/runtime/engine/masks/mask.ts';
import { type Vocabulary, vocabularyOf } from '../../src/runtime/engine/tokens/vocabulary.ts';
import { connectServer, type ServerKind, type ServerModel } from '../../src/servers/index.ts';
import {
  type Body,
  type Completion,
  completionEvents,
  plainAnswer,
  readCompletion,
  type ServedModel,
  type ServedToken,
} from './server-words.ts';

/** Versions that take structural tags. */
const version = '0.12.0';

/** The model of a server that evaluates this engine. */
export function connectEngineServer(engine: Engine, kind: ServerKind): Promise<ServerModel> {
  const { chatTemplate } = engine;
  const { bosToken = '', eosToken = '' } = engine.tokenizer;
  return connectServer({
    ...{ kind, chatTemplate, bosToken, eosToken },
    url: 'http://served.test',
    fetch: fetchFrom(engine, kind),
    requireTools: false,
  });
}

/** The server's answers. */
export function fetchFrom(engine: Engine, kind: ServerKind): typeof fetch {
  const served = servedModel(engine);
  return async (asked, init) => {
    const path = new URL(String(asked)).pathname;
    const body: Body = init?.body == null ? {} : JSON.parse(String(init.body));
    const plain = plainAnswer(kind, served, path, body, version);
    if (plain !== null) return Response.json(plain);
    const events = completionEvents(kind, served, readCompletion(kind, body));
    return new Response(bytesOf(events), { headers: { 'content-type': 'text/event-stream' } });
  };
}

function bytesOf(events: AsyncGenerator<string, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await events.return();
    },
  });
}

/**
 * The tokens as servers count them: `<|end|>` is no end of generation in a vocabulary with `<|return|>` and `<|call|>`,
 * where thoughts end with it. llama.cpp takes the mark from it, and others read a list of ends.
 */
function servedTokenizer(tokenizer: EngineTokenizer): EngineTokenizer {
  const { texts, spelling, bosToken = '', eosToken = '' } = tokenizer;
  const isMarker = ['<|return|>', '<|call|>'].every((text) => texts.includes(text));
  const marker = isMarker ? texts.indexOf('<|end|>') : -1;
  return {
    ...{ texts, spelling, bosToken, eosToken },
    typeOf: (token) => tokenizer.typeOf(token),
    endsGeneration: (token) => token !== marker && tokenizer.endsGeneration(token),
    tokenize: (text, special) => tokenizer.tokenize(text, special),
  };
}

function servedModel(engine: Engine): ServedModel {
  const { contextSize, chatTemplate } = engine;
  const tokenizer = servedTokenizer(engine.tokenizer);
  const vocabulary = vocabularyOf(tokenizer);
  const textOf = (tokens: readonly number[]): string =>
    new TextDecoder().decode(Uint8Array.from(tokens.flatMap((token) => [...vocabulary.bytesOf(token)])));
  return {
    contextSize,
    chatTemplate,
    bosToken: tokenizer.bosToken ?? '',
    eosToken: tokenizer.eosToken ?? '',
    firstToken: null,
    tokenize: (text, special) => tokenizer.tokenize(text, special),
    spell: (token) => textOf([token]),
    pieceOf(token) {
      const text = textOf([token]);
      return text.includes('\u{FFFD}') ? [...vocabulary.bytesOf(token)] : text;
    },
    textOf,
    draw: (completion) => draw(engine, vocabulary, completion),
  };
}

async function* draw(
  engine: Engine,
  vocabulary: Vocabulary,
  { prompt, grammar, body }: Completion,
): AsyncGenerator<ServedToken, void> {
  const matcher = grammar === undefined ? null : createGbnfMatcher(grammar);
  const sampling = samplingOf(body);
  const sequence = await engine.open({ tokens: prompt, turnStart: prompt.length }, sampling);
  let next = prompt.slice(-1);
  try {
    while (true) {
      const drawn = await sequence.next(next, maskOf(matcher, vocabulary, body));
      if (vocabulary.endsGeneration(drawn.token)) return;
      matcher?.accept(vocabulary.bytesOf(drawn.token));
      yield drawn;
      next = [drawn.token];
    }
  } finally {
    await sequence.close();
  }
}

function maskOf(matcher: Matcher | null, vocabulary: Vocabulary, { logit_bias: given }: Body): Mask {
  const pairs = Array.isArray(given) ? given : Object.entries(given ?? {});
  const entries = pairs.map(([token, bias]): [number, number] => [
    Number(token),
    bias === false || bias === -100 ? Number.NEGATIVE_INFINITY : Number(bias),
  ]);
  const bias = entries.length === 0 ? null : new Map(entries);
  if (matcher === null) return biasMask(bias, true);
  return new GrammarMask({ matcher, vocabulary, bias, free: false, follows: false });
}

function samplingOf(body: Body): EngineSampling {
  const number = (...names: readonly string[]): number | undefined => {
    const name = names.find((each) => body[each] !== undefined);
    return name === undefined ? undefined : Number(body[name]);
  };
  const optional = {
    repeatPenalty: number('repeat_penalty', 'repetition_penalty'),
    frequencyPenalty: number('frequency_penalty'),
    presencePenalty: number('presence_penalty'),
  };
  const given = Object.entries(optional).filter(([, value]) => value !== undefined);
  return {
    temperature: number('temperature') ?? 0,
    topK: Math.max(0, number('top_k') ?? 0),
    topP: number('top_p') ?? 1,
    minP: number('min_p') ?? 0,
    seed: number('seed') ?? 0,
    ...Object.fromEntries(given),
  };
}
