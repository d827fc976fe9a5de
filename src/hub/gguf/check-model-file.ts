/**
 * Checks a model file before an engine loads it. Engines trust what a file declares: a wrong number ends the process,
 * or blocks it forever, instead of a typed error.
 */
import path from 'node:path';
import { parseGgufShardFilename } from '@huggingface/gguf';
import { ModelFileError } from '../../format/errors.ts';
import { fileSource } from '../byte-source.ts';
import type { GgufLayout, GgufMetadata, TensorInfo } from './gguf-layout.ts';
import { checkModelFacts, checkVocabulary } from './model-facts.ts';
import { type HeaderWithoutTokens, maxShards, readModelHeader } from './read-header.ts';

/**
 * Reads the header of a local file, and of its other shards if it is split. Throws `ModelFileError` for an incomplete
 * model, and for values that llama.cpp does not survive. The weights are not checked. `knowsVocabulary`: whether the
 * tokens of this header were found to be good before.
 */
export async function checkModelFile(
  file: string,
  knowsVocabulary: (metadata: GgufMetadata) => boolean = () => false,
): Promise<HeaderWithoutTokens> {
  const { header, layout } = await readModelHeader(fileSource(file));
  const tensors =
    header.shard === null ? layout.tensors : await shardTensors(file, header.shard.count, layout);
  const { metadata } = layout;
  checkModelFacts({ metadata, tensors, file });
  if (!knowsVocabulary(metadata)) checkVocabulary({ metadata, file });
  return header;
}

/** The tensors of all shards. */
async function shardTensors(
  file: string,
  count: number,
  { metadata }: GgufLayout,
): Promise<readonly TensorInfo[]> {
  const names = shardNames(file);
  if (names.length !== count) {
    const reason = `says that it is one of ${count} files, but is not named so (…-00001-of-${String(count).padStart(5, '0')}.gguf)`;
    throw new ModelFileError({ file, reason });
  }
  const tensors = new Map<string, TensorInfo>();
  for (const [index, name] of names.entries()) {
    const { header, layout } = await readModelHeader(fileSource(name));
    if (header.shard?.index !== index || header.shard.count !== count) {
      throw new ModelFileError({
        file: name,
        reason: `is not part ${index + 1} of ${count}, as its name says`,
      });
    }
    for (const tensor of layout.tensors) {
      if (tensors.has(tensor.name)) {
        const reason = `has the tensor ${JSON.stringify(tensor.name)}, which another part has already`;
        throw new ModelFileError({ file: name, reason });
      }
      tensors.set(tensor.name, tensor);
    }
  }
  const declared = metadata.number('split.tensors.count');
  if (declared === null || declared === tensors.size) return [...tensors.values()];
  throw new ModelFileError({
    file,
    reason: `declares ${declared} tensors in all, and there are ${tensors.size}`,
  });
}

/** All shards of the model to which this file belongs, in order; only the file if it is not split. */
export function shardNames(file: string): readonly string[] {
  const shard = parseGgufShardFilename(path.basename(file));
  if (shard === null) return [file];
  const count = Number(shard.total);
  if (count < 1 || count > maxShards) return [file];
  return Array.from({ length: count }, (_, index) => {
    const number = String(index + 1).padStart(5, '0');
    return path.join(path.dirname(file), `${shard.prefix}-${number}-of-${shard.total}.gguf`);
  });
}
