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
} from '../option-rules.ts';
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

/** A path or an address. */
export const fileOrAddress: OptionRule = {
  wanted: 'the path of a file, or an address',
  allows: (value) => (typeof value === 'string' && value !== '') || value instanceof URL,
};
