/** The file of `--config`: the options of `idiolect serve` by their names, and models with options of their own. */
import path from 'node:path';
import type { Command, Option } from 'commander';
import { UnsupportedOptionError } from '../../format/errors.ts';
import { parseObject } from '../../format/json-values.ts';
import { isRecord } from '../../format/option-rules.ts';
import type { ModelEntry } from '../../serve/servable-model.ts';
import { locateEmbeddings, locateTarget, requireFitting, type TargetOptions } from '../model-target.ts';
import { readTextFile } from '../read-text.ts';

/** Options that concern one model, and may differ between the models of a file. */
const ofOneModel: readonly string[] = [
  'contextSize',
  'threads',
  'gpu',
  'gpuLayers',
  'lora',
  'batchSize',
  'mmap',
  'server',
  'vision',
  'embeddings',
  'template',
  'toolFormat',
  'sequences',
  'requireTools',
];

/**
 * Reads the file, and gives its options to `command` unless its line has them. Returns the models. Throws
 * `UnsupportedOptionError` for what is no option, the errors of commander for wrong values, and those of the disk.
 */
export async function readServeConfig(file: string, command: Command): Promise<readonly NamedTarget[]> {
  const config = parseObject(await readTextFile(file));
  if (config === null) throw refuse(file, 'it is not the JSON of an object');
  const { models = [], ...options } = config;
  for (const [name, value] of Object.entries(options)) {
    const read = readOption(command, name, value, file);
    if (command.getOptionValueSource(name) !== 'cli') command.setOptionValueWithSource(name, read, 'config');
  }
  if (!Array.isArray(models)) throw refuse(file, 'models must be a list');
  return models.map((model: unknown, index) => readModel(command, model, `${file}: models[${index}]`));
}

/**
 * `"qwen3.gguf"`, or `{"name": "qwen", "model": "qwen3.gguf", "contextSize": 8192}`, or
 * `{"upstream": ["http://a:8000", "http://b:8000"], "server": "vllm"}`.
 */
function readModel(command: Command, given: unknown, path: string): NamedTarget {
  if (typeof given === 'string') return readTarget(given);
  if (!isRecord(given) || (typeof given.model === 'string') === isAddresses(given.upstream))
    throw refuse(path, 'it must be a string, or an object with a string as model, or addresses as upstream');
  const { model, upstream, name, ...rest } = given;
  const shared = Object.keys(rest).find((each) => !ofOneModel.includes(each));
  if (shared !== undefined)
    throw refuse(path, `${shared} is no option of one model; these are ${ofOneModel.join(', ')}`);
  const entries = Object.entries(rest).map(([key, value]) => [key, readOption(command, key, value, path)]);
  const options: Partial<TargetOptions> = Object.fromEntries(entries);
  const target = isAddresses(upstream) ? readUpstreams(upstream) : readTarget(String(model));
  return { ...target, ...(typeof name === 'string' ? { name } : {}), options };
}

function isAddresses(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string');
}

function readOption(command: Command, name: string, value: unknown, path: string): unknown {
  const option = command.options.find((each) => each.attributeName() === name && name !== 'config');
  if (option === undefined) {
    const known = command.options.map((each) => each.attributeName()).join(', ');
    throw refuse(path, `there is no option ${JSON.stringify(name)}; the options are models, ${known}`);
  }
  return readValue(option, value, `${path}: ${name}`);
}

/** The value as the command line would have it. */
function readValue(option: Option, value: unknown, path: string): unknown {
  if (option.isBoolean() || option.negate) {
    if (typeof value === 'boolean') return value;
    throw refuse(path, 'it must be true or false');
  }
  if (option.variadic) {
    const all: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (all.every((each) => typeof each === 'string')) return all;
    throw refuse(path, 'it must be a list of strings');
  }
  if (typeof value !== 'string' && typeof value !== 'number')
    throw refuse(path, 'it must be a string or a number');
  const { argChoices: choices, parseArg } = option;
  if (choices !== undefined && !choices.includes(String(value)))
    throw refuse(path, `it must be one of ${choices.join(', ')}`);
  return parseArg === undefined ? String(value) : parsed(parseArg, String(value), path);
}

function parsed(parse: NonNullable<Option['parseArg']>, text: string, path: string): unknown {
  try {
    return parse(text, undefined);
  } catch (error) {
    throw refuse(path, error instanceof Error ? error.message : String(error));
  }
}

function refuse(option: string, reason: string): UnsupportedOptionError {
  return new UnsupportedOptionError({ option, reason });
}

/** `name=target`, or a target from which the name is derived. */
export interface NamedTarget {
  readonly name: string;
  /** A file, a model on the Hub, an address, or those of several servers of one model. */
  readonly target: string | readonly string[];
  /** Its own, which precede those of all. Default: none. */
  readonly options?: Partial<TargetOptions>;
}

/** A model that can be opened, and the number of its servers; 0 for a model in this process. */
export interface LocatedEntry extends ModelEntry {
  readonly servers: number;
}

/** Reads one argument. Throws `UnsupportedOptionError` for an empty name. */
export function readTarget(argument: string): NamedTarget {
  const [, name, target] = /^([^=/\\]*)=(.+)$/s.exec(argument) ?? [];
  if (name === undefined || target === undefined) return { name: targetName(argument), target: argument };
  if (name === '') throw new UnsupportedOptionError({ option: argument, reason: 'the name is empty' });
  return { name, target };
}

/** Several servers of one model, under its own name. */
export function readUpstreams(addresses: readonly string[], name = addresses.join()): NamedTarget {
  return { name, target: addresses };
}

/** `qwen3` for `qwen3.gguf`; models on the Hub keep their names, and servers name theirs when they are asked. */
function targetName(target: string): string {
  return /\.gguf$/i.test(target) ? path.basename(target).replace(/\.gguf$/i, '') : target;
}

/**
 * Finds all of them, so that errors are reported before the first request; they are opened later. Servers are asked at
 * once for the name of their model, unless it was given.
 */
export async function locateAll(
  targets: readonly NamedTarget[],
  options: TargetOptions,
): Promise<readonly LocatedEntry[]> {
  requireFitting(
    targets.map(({ target }) => target),
    options,
  );
  const entries: LocatedEntry[] = [];
  for (const { name, target, options: own } of targets) {
    requireFitting([target], own ?? {});
    const merged = { ...options, ...own };
    const locate = merged.embeddings === true ? locateEmbeddings : locateTarget;
    entries.push(await entryOf(name, await locate(target, merged), name === [target].flat().join()));
  }
  return entries;
}

async function entryOf(
  name: string,
  located: Omit<LocatedEntry, 'name'>,
  isUnnamed: boolean,
): Promise<LocatedEntry> {
  if (located.servers === 0 || !isUnnamed) return { ...located, name };
  const model = await located.open();
  return { ...located, name: model.name, open: async () => model };
}
