/** What the options of the Hub's functions may be; `null` is a value of some of them. */
import {
  abortSignal,
  anyText,
  callback,
  isRecord,
  type OptionRule,
  type OptionRules,
  orNull,
  truth,
  wholeNumberFrom,
} from '../format/option-rules.ts';
import type { GgufHeaderOptions } from './gguf-header.ts';
import type { HubOptions } from './hub-client.ts';
import type { InspectOptions } from './obtain-model.ts';
import type { PullOptions } from './pull-model.ts';

const hubRules: OptionRules<HubOptions> = {
  endpoint: anyText,
  token: orNull(anyText),
  fetch: callback,
  signal: abortSignal,
};

const milliseconds = wholeNumberFrom(0, 2 ** 31 - 1);

/** Of `pullModel` and `obtainModel`. */
export const pullRules: OptionRules<PullOptions> = {
  ...hubRules,
  observe: callback,
  requireTools: truth,
  cache: anyText,
  connections: wholeNumberFrom(1, 256),
  chunkSize: wholeNumberFrom(1, Number.MAX_SAFE_INTEGER),
  stallMs: milliseconds,
  retryMs: milliseconds,
  onEvent: callback,
};

/** Of `inspectModel`: who looks first and fetches then may give both the same options. */
export const inspectRules: OptionRules<InspectOptions & PullOptions> = {
  ...pullRules,
  file: orNull(anyText),
};

/** Of `readGgufHeader`. */
export const headerRules: OptionRules<GgufHeaderOptions> = {
  fetch: callback,
  name: anyText,
  maxBytes: wholeNumberFrom(1, Number.MAX_SAFE_INTEGER),
};

/** A model's name as people write it, or read into its parts. */
export const modelReference: OptionRule = {
  wanted: 'owner/name, or what parseModelReference() returns',
  allows: (value) => typeof value === 'string' || (isRecord(value) && typeof value.model === 'string'),
};

/** The same, read. */
export const readReference: OptionRule = {
  wanted: 'what parseModelReference() returns',
  allows: (value) => isRecord(value) && typeof value.model === 'string',
};

/** Models as `listCachedModels` lists them. */
export const cachedModels: OptionRule = {
  wanted: 'a list of models of listCachedModels()',
  allows: (value) =>
    Array.isArray(value) && value.every((each) => isRecord(each) && Array.isArray(each.files)),
};

/** What was found out of a model. */
export const modelCard: OptionRule = {
  wanted: 'the card of a model, as inspectModel() returns it',
  allows: (value) => isRecord(value) && typeof value.supportsTools === 'boolean',
};

/** The chat templates of a header. */
export const chatTemplates: OptionRule = {
  wanted: 'the `templates` of a header ({ default, toolUse })',
  allows: (value) => isRecord(value) && 'default' in value && 'toolUse' in value,
};

/** A path or an address. */
export const fileOrAddress: OptionRule = {
  wanted: 'the path of a file, or an address',
  allows: (value) => (typeof value === 'string' && value !== '') || value instanceof URL,
};
