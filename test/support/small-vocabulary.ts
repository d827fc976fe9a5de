/**
 * A tokenizer of some three thousand tokens: of a real one its bytes, its commonest merges and its single ASCII
 * characters. Models of it load and sample in a tenth of the time, and prompts are not twice as long.
 */
import {
  loadVocabulary as loadBundledVocabulary,
  tinyModelFile as tinyFile,
  type VocabularyChoice,
} from '../../examples/support/small-models.ts';
import { decodeInt32s, decodeStrings } from '../../src/testing/gguf-reader.ts';
import { type GgufValue, ggufTypes, RawArray } from '../../src/testing/gguf-types.ts';
import { writeGguf } from '../../src/testing/gguf-writer.ts';
import type { Vocabulary } from '../../src/testing/model-file-options.ts';
import { vocabularyOf } from '../../src/testing/tiny-model.ts';

/** What `VocabularyChoice` calls it. */
export const smallVocabulary = 'llama-spm-small';

/** Unknown, begin and end of the sequence, 256 bytes, and the commonest merges. */
const first = 3_000;
const normalType = 1;
const controlType = 3;
const userDefinedType = 4;

interface Tokens {
  readonly metadata: Vocabulary['metadata'];
  readonly texts: readonly string[];
  readonly types: readonly number[];
  readonly scores: readonly number[];
}

let known: Promise<Tokens> | undefined;

/** One tokenizer of the bundle, or the small one. */
export async function loadVocabulary(choice: VocabularyChoice): Promise<Vocabulary> {
  if (choice.vocabulary !== smallVocabulary) return loadBundledVocabulary(choice);
  known ??= readTokens();
  const { metadata, texts, types, scores } = await known;
  const { markers = [], controls = [] } = choice;
  const roles = new Map(markers.map((text) => [text, userDefinedType]));
  for (const text of controls) roles.set(text, controlType);
  const added = [...roles].filter(([text]) => !texts.includes(text));
  const lists = new Map([
    ['tokenizer.ggml.tokens', listOf(ggufTypes.STRING, [...texts, ...added.map(([text]) => text)])],
    ['tokenizer.ggml.token_type', listOf(ggufTypes.INT32, [...types, ...added.map(([, type]) => type)])],
    ['tokenizer.ggml.scores', listOf(ggufTypes.FLOAT32, [...scores, ...added.map(() => 0)])],
  ]);
  return vocabularyOf(writeGguf(new Map([...metadata, ...lists]), []));
}

/** Writes a tiny model once and returns its path; its vocabulary may be the small one. */
export function tinyModelFile(options: Parameters<typeof tinyFile>[0]): Promise<string> {
  return tinyFile(options, loadVocabulary);
}

async function readTokens(): Promise<Tokens> {
  const { metadata } = await loadBundledVocabulary({ vocabulary: 'llama-spm' });
  const array = (name: string): RawArray => {
    const value = metadata.get(`tokenizer.ggml.${name}`)?.value;
    if (!(value instanceof RawArray)) throw new Error(`the bundled tokenizer has no ${name}`);
    return value;
  };
  const texts = decodeStrings(array('tokens'));
  const types = decodeInt32s(array('token_type'));
  const scores = new Float32Array(new Uint8Array(array('scores').bytes).buffer);
  const ids = texts.flatMap((text, id) => (id < first || /^[\u2581!-~]$/.test(text) ? [id] : []));
  return {
    metadata,
    texts: ids.map((id) => texts[id] ?? ''),
    types: ids.map((id) => types[id] ?? normalType),
    scores: ids.map((id) => scores[id] ?? 0),
  };
}

function listOf(subType: number, value: readonly string[] | readonly number[]): GgufValue {
  return { type: ggufTypes.ARRAY, subType, value };
}
