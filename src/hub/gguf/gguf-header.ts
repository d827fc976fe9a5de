/** Reads the header of a GGUF file by path or address. */
import {
  callback,
  checkOptions,
  integerFrom,
  type OptionRules,
  requireOption,
  string,
} from '../../format/option-rules.ts';
import { fileSource, httpSource } from '../byte-source.ts';
import { fileOrAddress } from '../hub-rules.ts';
import { type GgufHeader, readHeader } from './read-header.ts';

/** Options of `readGgufHeader`. */
export interface GgufHeaderOptions {
  /** Used for remote files, including authorisation. Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** The file's name in errors. Default: its path, or its address without the query. */
  readonly name?: string;
  /** The maximum length of a header. Default: 30 MB. */
  readonly maxBytes?: number;
}

const headerRules: OptionRules<GgufHeaderOptions> = {
  fetch: callback,
  name: string,
  maxBytes: integerFrom(1, Number.MAX_SAFE_INTEGER),
};

/**
 * Reads the header of a GGUF file by path or `http(s)` address. Throws `ModelFileError` if it is not a GGUF file, ends
 * early, or declares more than any model has; errors of `options.fetch` are passed on.
 */
export async function readGgufHeader(
  fileOrUrl: string | URL,
  options: GgufHeaderOptions = {},
): Promise<GgufHeader> {
  requireOption('fileOrUrl', fileOrUrl, fileOrAddress);
  checkOptions(options, headerRules);
  const address = String(fileOrUrl);
  const source = /^https?:\/\//.test(address) ? httpSource(address, options) : fileSource(address);
  return (await readHeader(source, options.maxBytes)).header;
}
