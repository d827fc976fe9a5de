/** What a model can do, read from its header alone: the look before the download and before the load. */
import { createHash } from 'node:crypto';
import { parseGGUFQuantLabel } from '@huggingface/gguf';
import type { Capabilities } from '../format/chat-format.ts';
import { IdiolectError, ModelFileError, ToolsUnsupportedError } from '../format/errors.ts';
import { requireOption } from '../format/option-rules.ts';
import { fileSize } from './cache.ts';
import { NotAModelError } from './errors.ts';
import { shardNames } from './gguf/check-model-file.ts';
import { readGgufHeader } from './gguf/gguf-header.ts';
import { effectiveTemplate, type GgufHeader } from './gguf/read-header.ts';
import type { Hub } from './hub-client.ts';
import { modelCard } from './hub-rules.ts';
import type { ResolvedModel } from './resolve-model.ts';

/** Observes what a chat template supports; throws a typed error for a template that does not parse. */
export type ObserveCapabilities = (templateSource: string) => Capabilities;

/** A model's card. */
export interface ModelCard {
  /** The file's path, or `owner/name` of the Hub. */
  readonly model: string;
  /** The file that was read: the whole model, or its first shard. */
  readonly file: string;
  readonly shards: number;
  /** Bytes of the whole model; `null` where shards are missing. */
  readonly size: number | null;
  readonly quantization: string | null;
  /** Weights of the whole model; `null` where not all shards were read. */
  readonly parameterCount: number | null;
  readonly header: GgufHeader;
  readonly hasToolUseTemplate: boolean;
  /** The template that counts when there are tools; `null` when the model has none. */
  readonly template: TemplateCard | null;
  /** The gate: `supportsTools && supportsToolCalls` of that template. */
  readonly supportsTools: boolean;
}

/** A model's effective chat template, and what was observed of it. */
export interface TemplateCard {
  readonly name: 'default' | 'tool_use';
  readonly source: string;
  readonly sha256: string;
  /** `null` when it could not be observed; `problem` says why. */
  readonly capabilities: Capabilities | null;
  readonly problem: IdiolectError | null;
}

/** Bytes that reading headers of one model may take in all. */
const headerBudget = 30_000_000;
/** What each further shard may take of that: it lists its weights and little else. */
const shardHeader = 4_000_000;
/** The architecture that files with image or audio encoders declare. */
const projectorArchitecture = 'clip';

/** Inspects a local file, with its further shards where it is split. Throws `ModelFileError`, `NotAModelError`. */
export async function inspectFile(file: string, observe: ObserveCapabilities): Promise<ModelCard> {
  const parts = shardNames(file);
  const sizes = await Promise.all(parts.map(fileSize));
  return inspect(
    { model: file, parts: parts.map((part) => ({ address: part, name: part })), sizes, fetch },
    observe,
  );
}

/** Inspects a model on the Hub by range requests, without downloading it. Throws like `inspectFile`. */
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

/** Throws `ToolsUnsupportedError`, or why the template cannot be judged, unless the model can call tools. */
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
  /** Files in order, and how they are called in errors. */
  readonly parts: readonly { readonly address: string; readonly name: string }[];
  /** Their sizes as known beforehand; `null` for a file that is not there. */
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
  const sha256 = createHash('sha256').update(effective.source).digest('hex');
  const { capabilities } = observed;
  const supportsTools = (capabilities?.supportsTools && capabilities.supportsToolCalls) ?? false;
  return { template: { ...effective, sha256, ...observed }, supportsTools };
}

/** A template that does not parse or never ends is a fact about the model, and not the end of the inspection. */
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

/** Weights over all shards, as far as their headers may be read within the budget. */
async function countParameters(inspected: Inspected, first: GgufHeader): Promise<number | null> {
  const rest = inspected.parts.slice(1);
  const affordable = first.bytesRead + rest.length * shardHeader <= headerBudget;
  if (!affordable || inspected.sizes.includes(null)) return null;
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
