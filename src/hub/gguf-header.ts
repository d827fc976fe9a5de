/**
 * The header of a GGUF file, local or remote, read without its weights.
 *
 * `@huggingface/gguf` parses. It pads a file that ends early with zeros, cuts a string that crosses
 * what it has buffered, takes an answer of any status for data and allocates for ten million tensors;
 * so it is given bytes by us alone, which are counted and checked before and after.
 */
import { type GGUFParseOutput, gguf } from '@huggingface/gguf';
import { IdiolectError, ModelFileError } from '../format/errors.ts';
import {
  callback,
  checkOptions,
  integerFrom,
  type OptionRules,
  requireOption,
  string,
} from '../format/option-rules.ts';
import { type ByteSource, fileSource, httpSource } from './byte-source.ts';
import { chatTemplates, fileOrAddress } from './hub-rules.ts';

/** What is known of a model before its weights are read. */
export interface GgufHeader {
  /** The file as it is called in errors: its path, or its address without the query. */
  readonly file: string;
  /** Size of the file in bytes; of this shard alone where the model is split. */
  readonly size: number;
  /** Bytes that were really read to learn all this. */
  readonly bytesRead: number;
  /** `general.architecture`: `llama`. */
  readonly architecture: string | null;
  /** `general.type`, what the file is: `model`, `adapter`, `mmproj`; `null` where it does not say. */
  readonly type: string | null;
  /** `general.name`. */
  readonly name: string | null;
  /** Number of weights in this file; in this shard alone where the model is split. */
  readonly parameterCount: number;
  /** Longest context that the model was trained for, in tokens. */
  readonly contextLength: number | null;
  readonly templates: ChatTemplates;
  readonly specialTokens: SpecialTokens;
  /** Which part of a split model this file is, counted from 0; `null` for a whole model. */
  readonly shard: { readonly index: number; readonly count: number } | null;
}

/** The chat templates that a model ships. */
export interface ChatTemplates {
  /** `tokenizer.chat_template`. */
  readonly default: string | null;
  /** `tokenizer.chat_template.tool_use`: used instead of the default when there are tools. */
  readonly toolUse: string | null;
}

/** Texts of the special tokens that templates refer to; `null` where the vocabulary names none. */
export interface SpecialTokens {
  readonly bos: string | null;
  readonly eos: string | null;
}

/** Options of `readGgufHeader`. */
export interface GgufHeaderOptions {
  /** Used for remote files; authorisation is its business. Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** How the file is called in errors. Default: its path, or its address without the query. */
  readonly name?: string;
  /** A header that needs more bytes is refused. Default: 30 MB. */
  readonly maxBytes?: number;
}

const headerRules: OptionRules<GgufHeaderOptions> = {
  fetch: callback,
  name: string,
  maxBytes: integerFrom(1, Number.MAX_SAFE_INTEGER),
};

const defaultMaxBytes = 30_000_000;
/** Far above any real model (a few thousand), far below what hurts. */
const maxTensors = 200_000;
const maxEntries = 20_000;
/** The parser may cut strings longer than this where they cross two reads; no real template is near. */
const maxTemplateLength = 400_000;

/**
 * Reads the header of a GGUF file by path or `http(s)` address. Throws `ModelFileError` for what is no
 * GGUF file, ends early, or declares more than any model has; errors of `options.fetch` pass through.
 */
export async function readGgufHeader(
  fileOrUrl: string | URL,
  options: GgufHeaderOptions = {},
): Promise<GgufHeader> {
  requireOption('fileOrUrl', fileOrUrl, fileOrAddress);
  checkOptions(options, headerRules);
  const address = String(fileOrUrl);
  const source = /^https?:\/\//.test(address) ? httpSource(address, options) : fileSource(address);
  const meter = meterSource(source, options.maxBytes ?? defaultMaxBytes);
  const parsed = await parse(meter);
  const size = meter.size();
  checkComplete(parsed, size, source.name);
  return describe(parsed, { file: source.name, size, bytesRead: meter.bytesRead() });
}

/** The template that a model uses when it is given tools, and what it is called. */
export function effectiveTemplate(
  templates: ChatTemplates,
): { readonly name: 'tool_use' | 'default'; readonly source: string } | null {
  requireOption('templates', templates, chatTemplates);
  if (templates.toolUse !== null) return { name: 'tool_use', source: templates.toolUse };
  return templates.default === null ? null : { name: 'default', source: templates.default };
}

interface Meter {
  readonly name: string;
  readonly fetch: typeof fetch;
  size(): number;
  bytesRead(): number;
}

/** A `fetch` for the parser that reads `source`, within a budget, and checks the first bytes itself. */
function meterSource(source: ByteSource, maxBytes: number): Meter {
  let size = 0;
  let bytesRead = 0;
  const read = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const [start, end] = requestedRange(init);
    if (bytesRead + (end - start) > maxBytes) {
      throw new ModelFileError({
        file: source.name,
        reason: `its header is longer than ${maxBytes} bytes, which no model needs`,
      });
    }
    const answer = await source.read(start, end);
    size = answer.size;
    bytesRead += answer.bytes.length;
    if (start === 0) checkPreamble(answer.bytes, source.name);
    return new Response(answer.bytes, { headers: { 'content-range': `bytes ${start}-${end - 1}/${size}` } });
  };
  return { name: source.name, fetch: read, size: () => size, bytesRead: () => bytesRead };
}

function requestedRange(init: RequestInit | undefined): readonly [start: number, end: number] {
  const match = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init?.headers).get('range') ?? '');
  if (match === null) throw new TypeError('the GGUF parser asked for no range');
  return [Number(match[1]), Number(match[2]) + 1];
}

/** Magic number, version and the two counts: the first 24 bytes (16 in version 1). */
function checkPreamble(bytes: Uint8Array<ArrayBuffer>, file: string): void {
  if (new TextDecoder('latin1').decode(bytes.subarray(0, 4)) !== 'GGUF') {
    const text = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart();
    const reason = text.startsWith('<') ? 'is a web page, not a GGUF model' : 'is not a GGUF model';
    throw new ModelFileError({ file, reason });
  }
  if (bytes.length < 24) throw new ModelFileError({ file, reason: 'ends within its header' });
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const littleEndian = (view.getUint32(4, true) & 0xffff) !== 0;
  if (view.getUint32(4, littleEndian) === 1) return;
  refuseCount(view.getBigUint64(8, littleEndian), maxTensors, 'tensors', file);
  refuseCount(view.getBigUint64(16, littleEndian), maxEntries, 'metadata entries', file);
}

function refuseCount(count: bigint, allowed: number, what: string, file: string): void {
  if (count <= BigInt(allowed)) return;
  throw new ModelFileError({ file, reason: `declares ${count} ${what}: it is broken or hostile` });
}

async function parse(meter: Meter): Promise<GGUFParseOutput & { readonly parameterCount: number }> {
  try {
    return await gguf('https://bytes.invalid/', { fetch: meter.fetch, computeParametersCount: true });
  } catch (cause) {
    if (cause instanceof IdiolectError) throw cause;
    const outOfBytes = cause instanceof RangeError;
    const detail = cause instanceof Error ? cause.message : String(cause);
    const reason = outOfBytes ? 'its header declares more than it holds' : `its header is broken: ${detail}`;
    throw new ModelFileError({ file: meter.name, reason, cause });
  }
}

function checkComplete(parsed: GGUFParseOutput, size: number, file: string): void {
  const headerEnd = parsed.tensorInfoByteRange[1];
  if (headerEnd > size) throw new ModelFileError({ file, reason: 'ends within its header' });
  // A repeated key would hide the first value. Three keys are added by the parser.
  if (Object.keys(parsed.metadata).length !== Number(parsed.metadata.kv_count) + 3) {
    throw new ModelFileError({ file, reason: 'its header names a key twice' });
  }
  const beyond = parsed.tensorInfos.find(
    (tensor) => parsed.tensorDataOffset + tensor.offset >= BigInt(size) && !tensor.shape.includes(0n),
  );
  if (beyond === undefined) return;
  throw new ModelFileError({ file, reason: `ends at byte ${size}, before its last weights` });
}

function describe(
  parsed: GGUFParseOutput & { readonly parameterCount: number },
  facts: { readonly file: string; readonly size: number; readonly bytesRead: number },
): GgufHeader {
  const entries = new Map<string, unknown>(Object.entries(parsed.metadata));
  const architecture = textEntry(entries, 'general.architecture');
  const shardCount = numberEntry(entries, 'split.count') ?? 0;
  return {
    ...facts,
    architecture,
    type: textEntry(entries, 'general.type'),
    name: textEntry(entries, 'general.name'),
    parameterCount: parsed.parameterCount,
    contextLength: numberEntry(entries, `${architecture}.context_length`),
    templates: {
      default: templateEntry(entries, 'tokenizer.chat_template', facts.file),
      toolUse: templateEntry(entries, 'tokenizer.chat_template.tool_use', facts.file),
    },
    specialTokens: { bos: tokenEntry(entries, 'bos'), eos: tokenEntry(entries, 'eos') },
    shard: shardCount > 1 ? { index: numberEntry(entries, 'split.no') ?? 0, count: shardCount } : null,
  };
}

function textEntry(entries: ReadonlyMap<string, unknown>, key: string): string | null {
  const value = entries.get(key);
  return typeof value === 'string' ? value : null;
}

function numberEntry(entries: ReadonlyMap<string, unknown>, key: string): number | null {
  const value = entries.get(key);
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null;
}

function templateEntry(entries: ReadonlyMap<string, unknown>, key: string, file: string): string | null {
  const template = textEntry(entries, key);
  if (template === null || template.length <= maxTemplateLength) return template;
  throw new ModelFileError({ file, reason: `${key} is longer than ${maxTemplateLength} characters` });
}

function tokenEntry(entries: ReadonlyMap<string, unknown>, role: 'bos' | 'eos'): string | null {
  const id = numberEntry(entries, `tokenizer.ggml.${role}_token_id`);
  const tokens = entries.get('tokenizer.ggml.tokens');
  const token: unknown = id !== null && Array.isArray(tokens) ? tokens[id] : null;
  return typeof token === 'string' ? token : null;
}
