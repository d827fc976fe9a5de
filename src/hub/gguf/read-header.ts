/**
 * Reads the header of a GGUF file from any source of bytes, without its weights. Also runs in a browser.
 *
 * Written here because `@huggingface/gguf` is too trusting and too slow: it pads a file that ends early with zeros,
 * accepts an answer with any status, allocates ten million tensors, and decodes every token, which takes seconds for a
 * large vocabulary (`gguf-layout.ts` takes milliseconds).
 */
import { ModelFileError } from '../../format/errors.ts';
import { requireOption } from '../../format/option-rules.ts';
import type { ByteSource } from '../byte-source.ts';
import { chatTemplates } from '../hub-rules.ts';
import { type GgufLayout, type GgufMetadata, MoreBytesNeeded, scanGguf } from './gguf-layout.ts';
import { checkTensorBounds, weightCount } from './tensor-bounds.ts';

/** What is known of a model without its weights. */
export interface GgufHeader {
  /** The file's name in errors: its path, or its address without the query. */
  readonly file: string;
  /** Size of the file in bytes; only of this shard if the model is split. */
  readonly size: number;
  /** Bytes that were read to determine all this. */
  readonly bytesRead: number;
  /** `general.architecture`: `llama`. */
  readonly architecture: string | null;
  /** `general.type`, the kind of file: `model`, `adapter`, `mmproj`; `null` if absent. */
  readonly type: string | null;
  /** `general.name`. */
  readonly name: string | null;
  /** Number of weights in this file; only in this shard if the model is split. */
  readonly parameterCount: number;
  /** Context length of the training, in tokens. */
  readonly contextLength: number | null;
  readonly templates: ChatTemplates;
  readonly specialTokens: SpecialTokens;
  /** Texts of the tokens that were added to the vocabulary: those of control, and those that users defined. */
  readonly addedTokens: readonly string[];
  /** Texts of the tokens at which generation ends: of the response, of a turn, of a message. */
  readonly endTokens: readonly string[];
  /** Which part of a split model this file is, counted from 0; `null` if it is not split. */
  readonly shard: { readonly index: number; readonly count: number } | null;
}

/** The chat templates of a model. */
export interface ChatTemplates {
  /** `tokenizer.chat_template`. */
  readonly default: string | null;
  /** `tokenizer.chat_template.tool_use`: used instead of the default if there are tools. */
  readonly toolUse: string | null;
}

/** Texts of the special tokens that templates use; `null` if the vocabulary has none. */
export interface SpecialTokens {
  readonly bos: string | null;
  readonly eos: string | null;
}

const defaultMaxBytes = 30_000_000;
/** Maximum number of shards of a model. */
export const maxShards = 1000;
/** Far longer than real templates. */
const maxTemplateLength = 400_000;

/** What a header says other than about its tokens, of which there may be hundreds of thousands. */
export type HeaderWithoutTokens = Omit<GgufHeader, 'specialTokens' | 'addedTokens' | 'endTokens'>;

/** Reads the header from a source, with all its metadata. */
export async function readHeader(
  source: ByteSource,
  maxBytes = defaultMaxBytes,
): Promise<{ readonly header: GgufHeader; readonly layout: GgufLayout }> {
  const { header, layout } = await readModelHeader(source, maxBytes);
  return { header: { ...header, ...tokensOf(layout.metadata) }, layout };
}

/** The same without looking at any token. */
export async function readModelHeader(
  source: ByteSource,
  maxBytes = defaultMaxBytes,
): Promise<{ readonly header: HeaderWithoutTokens; readonly layout: GgufLayout }> {
  const { layout, size, bytesRead } = await readLayout(source, maxBytes);
  checkTensorBounds(layout, size, source.name);
  return { header: describe(layout, { file: source.name, size, bytesRead }), layout };
}

/** The template that a model uses with tools, and its name. */
export function effectiveTemplate(
  templates: ChatTemplates,
): { readonly name: 'tool_use' | 'default'; readonly source: string } | null {
  requireOption('templates', templates, chatTemplates);
  if (templates.toolUse !== null) return { name: 'tool_use', source: templates.toolUse };
  return templates.default === null ? null : { name: 'default', source: templates.default };
}

interface ReadLayout {
  readonly layout: GgufLayout;
  readonly size: number;
  readonly bytesRead: number;
}

/**
 * Reads as much of the beginning as the header needs, within a budget: each further part is as long as half of all before
 * it, or as long as what is needed.
 */
async function readLayout(source: ByteSource, maxBytes: number): Promise<ReadLayout> {
  let bytes = new Uint8Array(0);
  let needed = 0;
  for (;;) {
    const end = Math.max(needed, Math.ceil(bytes.length * 1.5), source.firstRead);
    const answer = await source.read(bytes.length, Math.min(end, maxBytes));
    const { size } = answer;
    bytes = bytes.length === 0 ? answer.bytes : joined(bytes, answer.bytes);
    try {
      return { layout: scanGguf(bytes, source.name), size, bytesRead: bytes.length };
    } catch (error) {
      if (!(error instanceof MoreBytesNeeded)) throw error;
      needed = error.until;
      checkNeed(needed, { size, maxBytes, read: bytes.length }, source.name);
    }
  }
}

/** Throws if reading on cannot help. */
function checkNeed(
  needed: number,
  { size, maxBytes, read }: { readonly size: number; readonly maxBytes: number; readonly read: number },
  file: string,
): void {
  if (needed > size || read >= size) {
    throw new ModelFileError({
      file,
      reason: `is truncated: it ends after ${size} bytes, within its header; if its download was broken off, fetch it again`,
    });
  }
  if (needed <= maxBytes) return;
  throw new ModelFileError({
    file,
    reason: `its header is longer than ${maxBytes} bytes, which no model needs`,
  });
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}

function describe(
  { metadata, tensors }: GgufLayout,
  facts: { readonly file: string; readonly size: number; readonly bytesRead: number },
): HeaderWithoutTokens {
  const architecture = metadata.text('general.architecture');
  return {
    ...facts,
    architecture,
    type: metadata.text('general.type'),
    name: metadata.text('general.name'),
    parameterCount: Number(tensors.reduce((sum, tensor) => sum + weightCount(tensor), 0n)),
    contextLength: metadata.number(`${architecture}.context_length`),
    templates: {
      default: templateEntry(metadata, 'tokenizer.chat_template', facts.file),
      toolUse: templateEntry(metadata, 'tokenizer.chat_template.tool_use', facts.file),
    },
    shard: shardOf(metadata, facts.file),
  };
}

/** Engines open every file that a header names, so each must be a part of a model. */
function shardOf(metadata: GgufMetadata, file: string): GgufHeader['shard'] {
  if (!metadata.has('split.count')) return null;
  const count = metadata.number('split.count');
  const index = metadata.has('split.no') ? metadata.number('split.no') : 0;
  if ((count === 0 || count === 1) && index === 0) return null;
  if (count !== null && index !== null && count <= maxShards && index >= 0 && index < count) {
    return { index, count };
  }
  const reason = `declares itself part ${index} of ${count} (split.no, split.count): it is broken or hostile`;
  throw new ModelFileError({ file, reason });
}

function templateEntry(metadata: GgufMetadata, key: string, file: string): string | null {
  // No character has more than four bytes.
  const tooLong = (metadata.textLength(key) ?? 0) > maxTemplateLength * 4;
  const template = tooLong ? null : metadata.text(key);
  if (!tooLong && (template?.length ?? 0) <= maxTemplateLength) return template;
  throw new ModelFileError({ file, reason: `${key} is longer than ${maxTemplateLength} characters` });
}

/** Values of `tokenizer.ggml.token_type`: control, and defined by users. */
const addedKinds = [3, 4];

/** The texts of the tokens that stand out of a vocabulary. */
function tokensOf(metadata: GgufMetadata): Pick<GgufHeader, 'specialTokens' | 'addedTokens' | 'endTokens'> {
  const idOf = (role: string): number => metadata.number(`tokenizer.ggml.${role}_token_id`) ?? -1;
  const [bos, eos] = [idOf('bos'), idOf('eos')];
  const ends = [eos, idOf('eot'), idOf('eom')];
  const added = metadata.indicesOf('tokenizer.ggml.token_type', addedKinds);
  const texts = metadata.textsAt('tokenizer.ggml.tokens', [bos, ...ends, ...added]);
  const textsOf = (ids: readonly number[]): readonly string[] =>
    ids.map((id) => texts.get(id) ?? '').filter((text) => text !== '');
  return {
    specialTokens: { bos: texts.get(bos) ?? null, eos: texts.get(eos) ?? null },
    addedTokens: textsOf(added),
    endTokens: textsOf(ends),
  };
}
