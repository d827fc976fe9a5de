/**
 * A hash that identifies a model: the header of each file (metadata, names, shapes and offsets of tensors), the sizes,
 * and samples of the weights, to distinguish trainings of one architecture. Reading all of a large file would take as
 * long as evaluating a conversation.
 */
import { createHash, type Hash } from 'node:crypto';
import fs from 'node:fs/promises';
import { fileSource } from '../../../hub/byte-source.ts';
import { shardNames } from '../../../hub/gguf/check-model-file.ts';
import { readModelHeader } from '../../../hub/gguf/read-header.ts';
import type { LoraAdapter } from '../load-model-options.ts';

/** Number of samples of the weights, spread evenly and including the last bytes. */
const samples = 64;
const sampleSize = 1 << 16;

/** The hash of the model in `file` and its other shards, with the adapters `lora`. Throws `ModelFileError`. */
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
  const { header, layout } = await readModelHeader(fileSource(file));
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
