/** What the options of the Hub's functions may be; `null` is a value of some of them. */
import {
  abortSignal,
  boolean,
  callback,
  integerFrom,
  isRecord,
  type OptionRule,
  type OptionRules,
  orNull,
  string,
} from '../format/option-rules.ts';
import type { GgufHeaderOptions } from './gguf-header.ts';
import type { HubOptions } from './hub-client.ts';
import type { InspectOptions } from './obtain-model.ts';
import type { PullOptions } from './pull-model.ts';

const hubRules: OptionRules<HubOptions> = {
  endpoint: string,
  token: orNull(string),
  fetch: callback,
  signal: abortSignal,
};

const milliseconds = integerFrom(0, 2 ** 31 - 1);

/** Of `pullModel` and `obtainModel`. */
export const pullRules: OptionRules<PullOptions> = {
  ...hubRules,
  observe: callback,
  requireTools: boolean,
  cache: string,
  connections: integerFrom(1, 256),
  chunkSize: integerFrom(1, Number.MAX_SAFE_INTEGER),
  stallMs: milliseconds,
  retryMs: milliseconds,
  onEvent: callback,
};

/** Of `inspectModel`: who looks first and fetches then may give both the same options. */
export const inspectRules: OptionRules<InspectOptions & PullOptions> = {
  ...pullRules,
  file: orNull(string),
};

/** Of `readGgufHeader`. */
export const headerRules: OptionRules<GgufHeaderOptions> = {
  fetch: callback,
  name: string,
  maxBytes: integerFrom(1, Number.MAX_SAFE_INTEGER),
};

/** A model's name as people write it, or read into its parts. */
export const modelReference: OptionRule = {
  expected: 'owner/name, or what parseModelReference() returns',
  allows: (value) => typeof value === 'string' || (isRecord(value) && typeof value.model === 'string'),
};

/** The same, read. */
export const readReference: OptionRule = {
  expected: 'what parseModelReference() returns',
  allows: (value) => isRecord(value) && typeof value.model === 'string',
};

/** Models as `listCachedModels` lists them. */
export const cachedModels: OptionRule = {
  expected: 'a list of models of listCachedModels()',
  allows: (value) =>
    Array.isArray(value) && value.every((each) => isRecord(each) && Array.isArray(each.files)),
};

/** What was found out of a model. */
export const modelCard: OptionRule = {
  expected: 'the card of a model, as inspectModel() returns it',
  allows: (value) => isRecord(value) && typeof value.supportsTools === 'boolean',
};

/** The chat templates of a header. */
export const chatTemplates: OptionRule = {
  expected: 'the `templates` of a header ({ default, toolUse })',
  allows: (value) => isRecord(value) && 'default' in value && 'toolUse' in value,
};

/** A path or an address. */
export const fileOrAddress: OptionRule = {
  expected: 'the path of a file, or an address',
  allows: (value) => (typeof value === 'string' && value !== '') || value instanceof URL,
};
