/** Limits of what is remembered: what is asked for again is not made again, as long as it is among the latest. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { anyCharacter, literal, sequence } from '../../../src/language/expression/expression.ts';
import { RuleSet } from '../../../src/language/expression/rule-set.ts';
import { runsOf } from '../../../src/language/matcher/masks/token-masks.ts';
import { createMatcher } from '../../../src/language/matcher/matcher.ts';
import { indexTokens } from '../../../src/language/matcher/token-index.ts';
import { argumentChecks } from '../../../src/runtime/chat/checks/argument-checks.ts';
import { GrammarCache } from '../../../src/runtime/chat/grammar-cache.ts';
import { VocabularyFile } from '../../../src/runtime/node-llama-cpp/states/vocabulary-file.ts';
import { SpecialTexts } from '../../../src/servers/special-texts.ts';
import { BytePairs } from '../../../src/testing/evaluator/byte-pairs.ts';
import { EvaluatedPrompts } from '../../../src/testing/evaluator/evaluated-prompts.ts';
import { TransformersEngine } from '../../../src/transformers/transformers-engine.ts';
import { jsonInTags } from '../../support/sample-formats.ts';
import type { Rows } from '../source-limits.ts';

const numbersTo = (size: number) => Array.from({ length: size }, (_, at) => at);

/** A vocabulary of these tokens. */
export function indexOf(...tokens: readonly string[]) {
  const bytes = tokens.map((token) => new TextEncoder().encode(token));
  const starts = [0];
  for (const each of bytes) starts.push((starts.at(-1) ?? 0) + each.length);
  const texts = {
    bytes: Uint8Array.from(bytes.flatMap((each) => [...each])),
    starts: Uint32Array.from(starts),
  };
  return indexTokens(texts, numbersTo(tokens.length));
}

/** A matcher of this one text. */
const matcherOf = (text: string) => createMatcher(new RuleSet().grammar('root', literal(text)));

/** How often a text is encoded while `run` runs. */
function timesEncoded(run: () => void): number {
  const { encode } = TextEncoder.prototype;
  let times = 0;
  TextEncoder.prototype.encode = function encodeCounted(text) {
    times += 1;
    return encode.call(this, text);
  };
  try {
    run();
  } finally {
    TextEncoder.prototype.encode = encode;
  }
  return times;
}

/** A header of as many tokens as are worth a file, named so. */
const headerOf = (name: string) =>
  ({
    array: () => ({ count: 20_000 }),
    raw: () => [['general.name', { type: 8, items: null, bytes: Buffer.from(name) }]],
  }) as never;

const vocabulary = { types: Uint8Array.of(1), index: indexOf('a') };

/** Writes and finds vocabularies in a folder of its own. */
function inFolder<Result>(run: (folder: string) => Result): Result {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-limits-'));
  try {
    return run(folder);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function writeVocabulary(folder: string, name: string): void {
  const file = new VocabularyFile(folder);
  file.find(headerOf(name));
  file.of('engine').keep(vocabulary);
}

export const keptRows: Rows = {
  // Whether a schema is compiled shows in how often it is read.
  'runtime/chat/checks/argument-checks.ts maxChecks': (size) => {
    let read = 0;
    const ownKeys = (schema: object) => {
      read += 1;
      return Reflect.ownKeys(schema);
    };
    const parameters = new Proxy({ type: 'object' }, { ownKeys });
    const readsFor = (at: number) => {
      const before = read;
      const name = `f${size}-${at}`;
      argumentChecks([{ type: 'function', function: { name, parameters } } as never])(name, {});
      return read - before;
    };
    for (const at of numbersTo(size)) readsFor(at);
    const [again, known] = [readsFor(0), readsFor(0)];
    return again === known;
  },
  // Whether a rest is made shows in how often the tools are read.
  'runtime/chat/grammar-cache.ts maxRests': (size) => {
    let read = 0;
    const options = {
      get tools() {
        read += 1;
        return [{ type: 'function', function: { name: 'f' } }] as const;
      },
    };
    const cache = new GrammarCache();
    const notation = { kind: 'json', objects: 1, head: '' };
    const readsFor = (at: number) => {
      const before = read;
      cache.restOf(jsonInTags, options, { toolName: `f${at}`, notation, from: 0 } as never, '');
      return read - before;
    };
    const [made] = numbersTo(size).map(readsFor);
    return readsFor(0) !== made;
  },
  'language/matcher/masks/token-masks.ts maxClasses': (size) => {
    const runs = runsOf(indexOf(`class ${size}`));
    const ofClass = (at: number) => runs({ ascii: new Uint32Array(4), high: null, key: `${at}` });
    const first = ofClass(0);
    for (const at of numbersTo(size)) ofClass(at);
    return ofClass(0) === first;
  },
  // The first mask is the one that was made first.
  'language/matcher/masks/state-masks.ts maxMasks': (size) => {
    const [index, start] = [indexOf('a'), matcherOf('a'.repeat(size))];
    const matcher = start.clone();
    const first = start.mask(index);
    for (const _ of numbersTo(size - 1)) {
      matcher.accept('a');
      matcher.mask(index);
    }
    return start.mask(index) === first;
  },
  // One state after each character of one long token, and the first.
  'language/matcher/masks/token-masks.ts maxStates': (size) => {
    const long = 'a'.repeat(size - 1);
    const [index, matcher] = [indexOf(long), matcherOf(long)];
    const first = matcher.mask(index);
    return matcher.mask(index) === first;
  },
  // Rules that are as large, each of one class or more, and another one after them.
  'language/matcher/matcher.ts maxCounted': (size) => {
    const each = 10 + 1;
    const count = Math.floor(size / each) - 1;
    const rest = sequence(...Array(size - count * each - each).fill(anyCharacter));
    const bodies = [rest, ...Array(count).fill(anyCharacter), literal('after')];
    const rules = new Map(bodies.map((body, at) => [`r${at}`, body]));
    return createMatcher({ root: 'r0', rules }).size > size;
  },
  'language/matcher/max-forced.ts maxForced': (size) => matcherOf('a'.repeat(size)).forced().length === size,
  'runtime/node-llama-cpp/states/vocabulary-file.ts maxFiles': (size) =>
    inFolder((folder) => {
      for (const at of numbersTo(size)) {
        writeVocabulary(folder, `${at}`);
        for (const name of fs.readdirSync(folder)) {
          const file = path.join(folder, name);
          const { mtimeMs } = fs.statSync(file);
          fs.utimesSync(file, 0, Math.round(mtimeMs / 1000) - 1);
        }
      }
      return new VocabularyFile(folder).find(headerOf('0'));
    }),
  // A file that says it has so many bytes.
  'runtime/node-llama-cpp/states/vocabulary-file.ts maxLength': (size) =>
    inFolder((folder) => {
      writeVocabulary(folder, 'a');
      const { statSync } = fs;
      Object.assign(fs, { statSync: () => ({ size }) });
      try {
        return new VocabularyFile(folder).find(headerOf('a'));
      } finally {
        Object.assign(fs, { statSync });
      }
    }),
  // None of them is special, which the server is asked once.
  'servers/special-texts.ts maxRemembered': async (size) => {
    const ids = numbersTo(size);
    const tokens = ids.map((id) => ({ id, text: 'a' }));
    let asked = 0;
    const questions = {
      tokenize: async () => [],
      tokenizePlain: async () => {
        asked += 1;
        return asked === 1 ? ids : ids.slice(-1);
      },
    };
    const texts = new SpecialTexts([]);
    await texts.learn(tokens, questions);
    const before = asked;
    await texts.learn(tokens.slice(-1), questions);
    return asked === before;
  },
  // A word is encoded as bytes before its pairs are merged.
  'testing/evaluator/byte-pairs.ts maxWords': (size) => {
    const pairs = new BytePairs([...'0123456789abcdef'], []);
    const [first = '', ...others] = numbersTo(size).map((at) => at.toString(16));
    pairs.encode(first);
    for (const word of others) pairs.encode(word);
    return timesEncoded(() => pairs.encode(first)) === 0;
  },
  'testing/evaluator/evaluated-prompts.ts maxKept': (size) => {
    const model = {
      newMemory: () => ({ copy: () => ({}) }),
      *evaluate(tokens: readonly number[]) {
        yield tokens.length;
      },
      logits: () => new Float32Array(),
    };
    const prompts = new EvaluatedPrompts(model as never);
    for (const at of numbersTo(size)) {
      const text = prompts.open([at, 0]);
      for (const _ of text.extend([at]));
      prompts.keep(text);
    }
    return prompts.open([0, 0]).tokens.length === 1;
  },
  'transformers/transformers-engine.ts maxKept': async (size) => {
    class Tensor {
      readonly location = 'cpu';
      constructor(
        readonly type: string,
        readonly data: unknown,
        readonly dims: readonly number[],
      ) {}
    }
    const forward = async () => ({
      logits: new Tensor('float32', new Float32Array(2), [1, 1, 2]),
      'present.0.key': new Tensor('float32', new Float32Array(1), [1, 1, 1, 1]),
    });
    const engine = new TransformersEngine({
      ...{ model: 'a', chatTemplate: '', toolUseTemplate: '', contextSize: 10 },
      transformers: { Tensor, DynamicCache: class {} } as never,
      causal: { forward } as never,
      tokenizer: { texts: ['a', 'b'] } as never,
    });
    const open = (at: number) => engine.open({ tokens: [at, 0] } as never, {} as never);
    for (const at of numbersTo(size)) {
      const sequence = await open(at);
      await sequence.next([0], null).catch(() => undefined);
      await sequence.close();
    }
    return (await open(0)).cachedTokens > 0;
  },
};
