/** What `npm run conformance` was asked for. */
import fs from 'node:fs';
import { parseArgs } from 'node:util';

/** How the command is used. */
export const usage = `Compares with recorded behaviour of other implementations, and with a baseline that may only get better.

  npm run conformance                              every part, against the baseline
  npm run conformance -- jinja chat-cases          some parts
  npm run conformance -- --failures                and what fails, up to 40 of each part
  npm run conformance -- --details                 and what each part says about itself, keyword by keyword
  npm run conformance -- --update                  write the baseline anew
  npm run conformance -- maskbench FILE --json     any file of MaskBench's form
  npm run conformance -- --help                    this text and the names of the parts

The data is not part of the project: IDIOLECT_CONFORMANCE names its folder, by default
../shared/conformance next to the repository.
`;

const options = {
  update: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  failures: { type: 'boolean', default: false },
  details: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** The switches that were given. */
export interface Flags {
  readonly update: boolean;
  readonly json: boolean;
  readonly failures: boolean;
  readonly details: boolean;
}

/** One of the things that can be asked for; `wrong` says what cannot. */
export type Request =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly reason: string }
  | { readonly kind: 'maskbench-file'; readonly file: string; readonly flags: Flags }
  | { readonly kind: 'parts'; readonly names: readonly string[]; readonly flags: Flags };

/** Reads the arguments; `known` are the names of all parts. No name means all of them. */
export function readCommandLine(args: readonly string[], known: readonly string[]): Request {
  try {
    const { values: flags, positionals: names } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options,
    });
    if (flags.help) return { kind: 'help' };
    const [first, file] = names;
    if (first === 'maskbench' && file !== undefined && !known.includes(file)) {
      if (!fs.existsSync(file)) return { kind: 'wrong', reason: `${file}: no such file` };
      return { kind: 'maskbench-file', file, flags };
    }
    const unknown = names.filter((name) => !known.includes(name));
    if (unknown.length > 0) return { kind: 'wrong', reason: `no part is called ${unknown.join(', ')}` };
    return { kind: 'parts', names: names.length === 0 ? known : names, flags };
  } catch (error) {
    // The first sentence names the option; the rest explains how it could be meant as a name.
    const [reason = ''] = String(error instanceof Error ? error.message : error).split('. ');
    return { kind: 'wrong', reason };
  }
}
