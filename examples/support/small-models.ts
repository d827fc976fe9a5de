/**
 * Model files of a few megabytes, made on the spot out of what node-llama-cpp's package ships: real
 * tokenizers and chat templates. Kept under `node_modules/.cache/idiolect/models`.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import {
  type RenamedToken,
  replaceableTokens,
  type TinyModelOptions,
  tinyModel,
  tokenTexts,
  type Vocabulary,
  vocabularyOf,
} from 'idiolect/testing';
import { cacheFolder, readBundledFile } from './llama-bundle.ts';

/** Which tokenizer a small model gets, and the markers that are single tokens in it. */
export interface VocabularyChoice {
  /** A tokenizer of the bundle: `llama-spm` (32,000 tokens), `qwen2` (151,936), `gemma-4` (262,144) … */
  readonly vocabulary: string;
  /** Texts that become user-defined tokens: `<tool_call>`. */
  readonly markers?: readonly string[];
  /** Texts that become control tokens: `<|im_end|>`. */
  readonly controls?: readonly string[];
}

/**
 * One tokenizer of the bundle. Markers and controls take the places of its last ordinary tokens (rare
 * characters or padding).
 */
export async function loadVocabulary(choice: VocabularyChoice): Promise<Vocabulary> {
  const file = await readBundledFile(`models/ggml-vocab-${choice.vocabulary}.gguf`);
  const plain = vocabularyOf(file);
  const renamed = newTokens(plain, choice);
  if (renamed.length === 0) return plain;
  const places = replaceableTokens(plain);
  return vocabularyOf(file, new Map(renamed.map((token, index) => [places[index] ?? 0, token])));
}

function newTokens(
  vocabulary: Vocabulary,
  { markers = [], controls = [] }: VocabularyChoice,
): RenamedToken[] {
  if (markers.length + controls.length === 0) return [];
  const known = new Set(tokenTexts(vocabulary));
  const roles = new Map<string, RenamedToken['role']>();
  for (const text of markers) roles.set(text, 'user-defined');
  for (const text of controls) roles.set(text, 'control');
  return [...roles].filter(([text]) => !known.has(text)).map(([text, role]) => ({ text, role }));
}

/**
 * Writes a tiny model once and returns its path; the same options give the same file again. `load` finds the
 * tokenizer.
 */
export async function tinyModelFile(
  options: Omit<TinyModelOptions, 'vocabulary'> & VocabularyChoice,
  load: typeof loadVocabulary = loadVocabulary,
): Promise<string> {
  const key = createHash('sha256').update(JSON.stringify({ version: 2, ...options }));
  const name = `tiny-${options.vocabulary}-${key.digest('hex').slice(0, 16)}.gguf`;
  const file = path.join(cacheFolder, 'models', name);
  if (!fs.existsSync(file)) {
    const { markers: _, controls: __, ...model } = options;
    writeModelFile(file, tinyModel({ ...model, vocabulary: await load(options) }));
  }
  return file;
}

/** Writes a model file aside and renames it, so that nobody reads half of one. */
export function writeModelFile(file: string, bytes: Uint8Array): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const building = `${file}.${process.pid}`;
  fs.writeFileSync(building, bytes);
  fs.renameSync(building, file);
}
