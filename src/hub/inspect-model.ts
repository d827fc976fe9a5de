/** Reads a model's capabilities from its header, before a download or a load. */
import { parseGGUFQuantLabel } from '@huggingface/gguf';
import type { Capabilities } from '../format/capabilities.ts';
import { IdiolectError, ModelFileError, ToolsUnsupportedError } from '../format/errors.ts';
import { requireOption } from '../format/option-rules.ts';
import { templateFingerprint } from '../format/template-fingerprint.ts';
import { fileSize } from './cache.ts';
import { NotAModelError } from './errors.ts';
import { shardNames } from './gguf/check-model-file.ts';
import { readGgufHeader } from './gguf/gguf-header.ts';
import { effectiveTemplate, type GgufHeader } from './gguf/read-header.ts';
import type { Hub } from './hub-client.ts';
import { modelCard } from './hub-rules.ts';
import type { ResolvedModel } from './resolve-model.ts';

/** Observes the capabilities of a chat template; throws a typed error for a template that does not parse. */
export type ObserveCapabilities = (templateSource: string) => Capabilities;

/** A model's card. */
export interface ModelCard {
  /** The file's path, or `owner/name` of the Hub. */
  readonly model: string;
  /** The file that was read: the whole model, or its first shard. */
  readonly file: string;
  readonly shards: number;
  /** Bytes of the whole model; `null` if shards are missing. */
  readonly size: number | null;
  readonly quantization: string | null;
  /** Number of weights of the whole model; `null` if not all shards were read. */
  readonly parameterCount: number | null;
  readonly header: GgufHeader;
  readonly hasToolUseTemplate: boolean;
  /** The template for chats with tools; `null` if the model has none. */
  readonly template: TemplateCard | null;
  /** Whether the model passes: `supportsTools && supportsToolCalls` of that template. */
  readonly supportsTools: boolean;
}

/** A model's effective chat template, and its observed capabilities. */
export interface TemplateCard {
  readonly name: 'default' | 'tool_use';
  readonly source: string;
  /** Of the source, with line feeds as line ends: the fingerprint of its format. */
  readonly sha256: string;
  /** `null` if it could not be observed; `problem` is the reason. */
  readonly capabilities: Capabilities | null;
  readonly problem: IdiolectError | null;
}

/** Maximum bytes for reading all headers of one model. */
const headerBudget = 30_000_000;
/** The part of that for each further shard, whose header is mostly a list of weights. */
const shardHeader = 4_000_000;
/** The architecture of files with image or audio encoders. */
const projectorArchitecture = 'clip';

/** Inspects a local file, including its other shards if it is split. Throws `ModelFileError`, `NotAModelError`. */
export async function inspectFile(file: string, observe: ObserveCapabilities): Promise<ModelCard> {
  const parts = shardNames(file);
  const sizes = await Promise.all(parts.map(fileSize));
  return inspect(
    { model: file, parts: parts.map((part) => ({ address: part, name: part })), sizes, fetch },
    observe,
  );
}

/** Inspects a model on the Hub by range requests, without downloading it. Throws the errors of `inspectFile`. */
export async function inspectRemote(
  hub: Hub,
  resolved: ResolvedModel,
  observe: ObserveCapabilities,
): Promise<ModelCard> {
  const { model, revision } = resolved;
  const { files } = resolved.choice.chosen;
  const parts = files.map((file) => ({ address: file.url, name: `${model}/${file.path}` }));
  const sizes = files.map(({ size }) => size);
  return inspect({ model, parts, sizes, fetch: hub.peekFetch({ model, revision }) }, observe);
}

/** Throws `ToolsUnsupportedError`, or the problem of the template, unless the model can call tools. */
export function requireToolSupport(card: ModelCard): void {
  requireOption('card', card, modelCard);
  if (card.supportsTools) return;
  if (card.template?.problem) throw card.template.problem;
  throw new ToolsUnsupportedError({
    model: card.model,
    template: card.template?.name ?? null,
    capabilities: card.template?.capabilities ?? null,
  });
}

interface Inspected {
  readonly model: string;
  /** Files in order, with their names in errors. */
  readonly parts: readonly { readonly address: string; readonly name: string }[];
  /** Their known sizes; `null` for a missing file. */
  readonly sizes: readonly (number | null)[];
  readonly fetch: typeof fetch;
}

async function inspect(inspected: Inspected, observe: ObserveCapabilities): Promise<ModelCard> {
  const { model, parts, sizes } = inspected;
  const [first] = parts;
  if (first === undefined) throw new ModelFileError({ file: model, reason: 'has no files' });
  const header = await readGgufHeader(first.address, { name: first.name, fetch: inspected.fetch });
  checkIsModel(header, sizes[0] ?? null);
  return {
    model,
    file: first.name,
    shards: parts.length,
    size: total(sizes),
    quantization: parseGGUFQuantLabel(first.name) ?? null,
    parameterCount: await countParameters(inspected, header),
    header,
    hasToolUseTemplate: header.templates.toolUse !== null,
    ...judge(header, observe),
  };
}

function checkIsModel(header: GgufHeader, expectedSize: number | null): void {
  const { file, type, architecture, size } = header;
  if (type !== null && type !== 'model') throw new NotAModelError({ file, kind: `a file of type ${type}` });
  if (architecture === projectorArchitecture) throw new NotAModelError({ file, kind: 'a projector' });
  if (expectedSize === null || expectedSize === size) return;
  throw new ModelFileError({ file, reason: `has ${size} bytes where ${expectedSize} were promised` });
}

function judge(
  header: GgufHeader,
  observe: ObserveCapabilities,
): { readonly template: TemplateCard | null; readonly supportsTools: boolean } {
  const effective = effectiveTemplate(header.templates);
  if (effective === null) return { template: null, supportsTools: false };
  const observed = observeSafely(effective.source, observe);
  const sha256 = templateFingerprint(effective.source);
  const { capabilities } = observed;
  const supportsTools = (capabilities?.supportsTools && capabilities.supportsToolCalls) ?? false;
  return { template: { ...effective, sha256, ...observed }, supportsTools };
}

/** A template that does not parse or never ends is a result, not an error of the inspection. */
function observeSafely(
  source: string,
  observe: ObserveCapabilities,
): Pick<TemplateCard, 'capabilities' | 'problem'> {
  try {
    return { capabilities: observe(source), problem: null };
  } catch (error) {
    if (error instanceof IdiolectError) return { capabilities: null, problem: error };
    throw error;
  }
}

/** The number of weights in all shards, as far as the budget allows reading their headers. */
async function countParameters(inspected: Inspected, first: GgufHeader): Promise<number | null> {
  const rest = inspected.parts.slice(1);
  const isWithinBudget = first.bytesRead + rest.length * shardHeader <= headerBudget;
  if (!isWithinBudget || inspected.sizes.includes(null)) return null;
  const headers = await Promise.all(
    rest.map(({ address, name }) =>
      readGgufHeader(address, { name, fetch: inspected.fetch, maxBytes: shardHeader }),
    ),
  );
  return headers.reduce((sum, header) => sum + header.parameterCount, first.parameterCount);
}

function total(sizes: readonly (number | null)[]): number | null {
  return sizes.reduce<number | null>((sum, size) => (sum === null || size === null ? null : sum + size), 0);
}
