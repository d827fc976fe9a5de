/**
 * Facts about a model that llama.cpp takes for granted: if they do not hold, it ends the process (`GGML_ASSERT`, or an
 * exception in a thread). What it rejects with an error is not checked here.
 */
import { ModelFileError } from '../../format/errors.ts';
import type { GgufMetadata, TensorInfo } from './gguf-layout.ts';
import { TextTable } from './text-table.ts';

/** A model, as described by its header or those of all its files. */
interface DescribedModel {
  readonly metadata: GgufMetadata;
  readonly tensors: readonly TensorInfo[];
  readonly file: string;
}

/** llama.cpp's `LLAMA_MAX_LAYERS` and `LLAMA_MAX_EXPERTS`. */
const maxLayers = 512;
const maxExperts = 512;
/** Sizes are signed 32-bit numbers there, and are multiplied with each other. */
const maxSide = 2 ** 24;

/** Throws `ModelFileError` for the first fact, other than of the vocabulary, that would end the process. */
export function checkModelFacts(model: DescribedModel): void {
  checkSizes(model);
  checkExperts(model);
}

/** Keys of sizes; if there are tensors of that name, llama.cpp divides by the size, which must not be 0 or absent. */
const sizes: readonly { readonly key: string; readonly most: number; readonly needs: RegExp | null }[] = [
  { key: 'block_count', most: maxLayers, needs: /^blk\./ },
  { key: 'context_length', most: 2 ** 31 - 1, needs: /^blk\./ },
  { key: 'embedding_length', most: maxSide, needs: /^token_embd\./ },
  { key: 'feed_forward_length', most: maxSide, needs: /\.ffn_(?:up|down)\.weight$/ },
  { key: 'attention.head_count', most: maxSide, needs: /\.attn_(?:q|qkv)\.weight$/ },
  { key: 'attention.head_count_kv', most: maxSide, needs: null },
  { key: 'attention.key_length', most: maxSide, needs: null },
  { key: 'attention.value_length', most: maxSide, needs: null },
  { key: 'rope.dimension_count', most: maxSide, needs: null },
];

function checkSizes({ metadata, tensors, file }: DescribedModel): void {
  const architecture = metadata.text('general.architecture');
  for (const { key, most, needs } of sizes) {
    const name = `${architecture}.${key}`;
    // Some models have a size for each layer.
    if (metadata.array(name) !== null) continue;
    const size = metadata.number(name);
    const isNeeded = needs !== null && tensors.some((tensor) => needs.test(tensor.name));
    const least = isNeeded ? 1 : 0;
    if (size === null ? !isNeeded && !metadata.has(name) : size >= least && size <= most) continue;
    const found = size === null ? 'is not a number' : `is ${size}`;
    throw new ModelFileError({ file, reason: `${name} ${found}, and must be from ${least} to ${most}` });
  }
  const [heads, keyHeads] = ['head_count', 'head_count_kv'].map((key) =>
    metadata.number(`${architecture}.attention.${key}`),
  );
  const hasKeys = tensors.some(({ name }) => name.endsWith('.attn_k.weight'));
  if (!hasKeys || typeof heads !== 'number' || typeof keyHeads !== 'number') return;
  if (keyHeads >= 1 && heads % keyHeads === 0) return;
  throw new ModelFileError({
    file,
    reason: `has ${heads} heads of attention, and ${keyHeads} of keys and values`,
  });
}

/** llama.cpp's assertions about them. */
function checkExperts({ metadata, file }: DescribedModel): void {
  const architecture = metadata.text('general.architecture');
  const [experts = 0, used = 0, groups = 0, groupsUsed = 0] = [
    'expert_count',
    'expert_used_count',
    'expert_group_count',
    'expert_group_used_count',
  ].map((key) => metadata.number(`${architecture}.${key}`) ?? 0);
  const grouped = groups < 2 || (experts % groups === 0 && groupsUsed > 0 && groupsUsed < groups);
  const valid =
    experts === 0
      ? used === 0 && groups === 0
      : experts <= maxExperts && used > 0 && used <= experts && groups < experts && grouped;
  if (valid) return;
  const reason = `has ${experts} experts in ${groups} groups, and uses ${used} of them in ${groupsUsed}`;
  throw new ModelFileError({ file, reason });
}

const tokensKey = 'tokenizer.ggml.tokens';

/**
 * Engines find tokens by text, and must find every byte among them if texts are made of bytes. Throws `ModelFileError`.
 */
export function checkVocabulary({ metadata, file }: Omit<DescribedModel, 'tensors'>): void {
  const kind = metadata.text('tokenizer.ggml.model');
  if (kind === null || kind === 'none' || kind === 'no_vocab') return;
  const spans = metadata.textSpans(tokensKey);
  if (spans === null || spans.starts.length === 0) {
    throw new ModelFileError({ file, reason: `holds no vocabulary (${tokensKey})` });
  }
  // llama.cpp gives the empty text another name.
  const tokens = new TextTable(spans);
  const { repeated } = tokens;
  if (repeated > 0) throw new ModelFileError({ file, reason: `has ${repeated} tokens twice (${tokensKey})` });
  const missing = kind === 'llama' ? missingByte(tokens) : null;
  if (missing === null) return;
  throw new ModelFileError({ file, reason: `has no token for the byte ${missing} (${tokensKey})` });
}

/** SentencePiece vocabularies write a byte as `<0x0A>`, or as the byte itself. */
function missingByte(tokens: TextTable): number | null {
  const encoder = new TextEncoder();
  for (let byte = 0; byte < 256; byte++) {
    const hexadecimal = byte.toString(16).toUpperCase().padStart(2, '0');
    const isWritten = tokens.has(encoder.encode(`<0x${hexadecimal}>`));
    if (!isWritten && !tokens.has(Uint8Array.of(byte))) return byte;
  }
  return null;
}
