/** Limits of model files. */
import { MoreBytesNeeded, scanGguf, type TensorInfo } from '../../../src/hub/gguf/gguf-layout.ts';
import { checkModelFacts } from '../../../src/hub/gguf/model-facts.ts';
import { readHeader } from '../../../src/hub/gguf/read-header.ts';
import { checkTensorBounds } from '../../../src/hub/gguf/tensor-bounds.ts';
import {
  type Entry,
  entry,
  ggufBytes,
  text,
  tinyParts,
  types,
  uint32,
  uint64,
  withEntries,
} from '../../support/gguf-parts.ts';
import { ends, type Rows } from '../source-limits.ts';

/** Whether a file that ends after its declaration of tensors and entries could go on. */
function mayGoOn(...parts: readonly Buffer[]): boolean {
  try {
    scanGguf(Buffer.concat([Buffer.from('GGUF'), uint32(3), ...parts]), 'a.gguf');
    return true;
  } catch (error) {
    return error instanceof MoreBytesNeeded;
  }
}

/** Whether a tiny model with these entries may be loaded. */
function isModel(...entries: readonly Entry[]): boolean {
  const layout = scanGguf(ggufBytes(withEntries(tinyParts('{{ messages }}'), ...entries)), 'a.gguf');
  return ends(() => checkModelFacts({ ...layout, file: 'a.gguf' }));
}

/** Whether the header of such a model is read. */
async function isHeader(...entries: readonly Entry[]): Promise<boolean> {
  const bytes = Uint8Array.from(ggufBytes(withEntries(tinyParts('{{ messages }}'), ...entries)));
  const read = async (start: number, end: number) => ({
    bytes: bytes.subarray(start, end),
    size: bytes.length,
  });
  return readHeader({ name: 'a.gguf', firstRead: bytes.length, read }).then(
    () => true,
    () => false,
  );
}

const number = (key: string, value: number) => entry(key, types.uint32, uint32(value));
const tensor = (name: string): TensorInfo => ({ name, sides: [32n], type: 0, offset: 0n });

export const fileRows: Rows = {
  'hub/gguf/gguf-layout.ts maxTensors': (size) => mayGoOn(uint64(size), uint64(0)),
  'hub/gguf/gguf-layout.ts maxEntries': (size) => mayGoOn(uint64(0), uint64(size)),
  'hub/gguf/gguf-layout.ts maxKeyLength': (size) => mayGoOn(uint64(0), uint64(1), uint64(size)),
  'hub/gguf/gguf-layout.ts maxDimensions': (size) =>
    mayGoOn(uint64(1), uint64(0), uint64(1), Buffer.from('a'), uint32(size)),
  'hub/gguf/tensor-bounds.ts maxNameLength': (size) =>
    ends(() =>
      checkTensorBounds({ tensors: [tensor('a'.repeat(size))], dataOffset: 0 } as never, 1 << 20, 'a.gguf'),
    ),
  'hub/gguf/model-facts.ts maxLayers': (size) => isModel(number('llama.block_count', size)),
  'hub/gguf/model-facts.ts maxExperts': (size) =>
    isModel(number('llama.expert_count', size), number('llama.expert_used_count', 1)),
  'hub/gguf/model-facts.ts maxSide': (size) =>
    ['embedding_length', 'feed_forward_length', 'attention.key_length'].every((key) =>
      isModel(number(`llama.${key}`, size)),
    ),
  'hub/gguf/read-header.ts maxShards': (size) => isHeader(number('split.count', size), number('split.no', 0)),
  'hub/gguf/read-header.ts maxTemplateLength': (size) =>
    isHeader(entry('tokenizer.chat_template', types.string, text('é'.repeat(size)))),
};
