/**
 * A hash that stands for a model: the header of each of its files (metadata, names, shapes and places of tensors), their
 * sizes, and samples of the weights, so that two trainings of one architecture differ. The whole of a large file would
 * take as long to read as a conversation to evaluate.
 */
import { createHash, type Hash } from 'node:crypto';
import fs from 'node:fs/promises';
import { fileSource } from '../../../hub/byte-source.ts';
import { shardNames } from '../../../hub/gguf/check-model-file.ts';
import { readHeader } from '../../../hub/gguf/read-header.ts';
import type { LoraAdapter } from '../load-model-options.ts';

/** Stretches of the weights that are looked at, spread evenly, the last bytes among them. */
const samples = 64;
const sampleSize = 1 << 16;

/** The hash of the model in `file`, with its further shards, under `lora`. Throws `ModelFileError`. */
export async function modelIdentity(file: string, lora: readonly LoraAdapter[]): Promise<string> {
  const hash = createHash('sha256');
  for (const name of shardNames(file)) await addFile(hash, name);
  for (const { file: adapter, scale = 1 } of lora) {
    hash.update(`adapter ${scale}\n`);
    await addFile(hash, adapter);
  }
  return hash.digest('hex');
}

async function addFile(hash: Hash, file: string): Promise<void> {
  const { header, layout } = await readHeader(fileSource(file));
  const { size } = header;
  const { headerEnd } = layout;
  hash.update(`file ${size} ${headerEnd}\n`);
  const weights = Math.max(0, size - headerEnd);
  const starts =
    weights <= samples * sampleSize
      ? [{ start: headerEnd, length: weights }]
      : Array.from({ length: samples }, (_, index) => ({
          start: headerEnd + Math.floor(((weights - sampleSize) * index) / (samples - 1)),
          length: sampleSize,
        }));
  const handle = await fs.open(file, 'r');
  try {
    for (const { start, length } of [{ start: 0, length: headerEnd }, ...starts]) {
      const bytes = Buffer.alloc(length);
      const { bytesRead } = await handle.read(bytes, 0, length, start);
      hash.update(bytes.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}
