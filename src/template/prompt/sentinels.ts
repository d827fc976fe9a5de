/**
 * Sentinels: recognisable texts planted in conversations, so that a render shows where its text came from.
 *
 * Each has nine letters and digits (which some templates require for ids), and all match one pattern, so that a render
 * can be split into sentinels and literals. Keys and values are not in alphabetical order, to reveal sorting.
 */

import type { Tool } from '../../format/messages.ts';

/** The free texts of probing conversations. */
export interface Sentinels {
  /** Matches any sentinel; has the flag `g`. */
  readonly pattern: RegExp;
  readonly system: string;
  readonly user: string;
  readonly laterUser: string;
  readonly toolResult: string;
  readonly content: string;
  /** Content in a typed part. */
  readonly part: string;
  readonly reasoning: string;
  readonly names: readonly [string, string, string];
  readonly ids: readonly [string, string, string];
  readonly keys: readonly [string, string, string];
  readonly values: readonly [string, string, string];
  /** Keys and values inside nested arguments. */
  readonly inner: readonly [string, string, string, string];
  /** Keys whose schema has one type each: `string`, `integer`, `number`, … */
  readonly typed: Readonly<Record<TypedKey, string>>;
  readonly bos: string;
  readonly eos: string;
}

/** Schema types of the arguments that value probes vary. */
type TypedKey = 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object';

const salts = ['qzx', 'zxq', 'xqz', 'qxz', 'zqx', 'xzq'] as const;

/** Sentinels that do not occur in `source`; `null` if every kind occurs, as in a hostile file. */
export function chooseSentinels(source: string): Sentinels | null {
  const salt = salts.find((each) => !source.includes(each));
  return salt === undefined ? null : saltedSentinels(salt);
}

/** Like `chooseSentinels`; for a hostile file, which an analysis rejects, any sentinels. */
export function anySentinels(source: string): Sentinels {
  return chooseSentinels(source) ?? saltedSentinels(salts[0]);
}

/** A tool with one string parameter, all named by sentinels. */
export function sentinelTool({ names, keys }: Sentinels): Tool {
  const parameter = { type: 'string', description: 'about' };
  return {
    type: 'function',
    function: {
      name: names[0],
      description: 'about',
      parameters: { type: 'object', properties: { [keys[0]]: parameter }, required: [keys[0]] },
    },
  };
}

function saltedSentinels(salt: string): Sentinels {
  const word = (stem: string) => `${salt}${stem}zq`;
  return {
    pattern: new RegExp(`${salt}[a-z0-9]{4}zq`, 'g'),
    system: word('syst'),
    user: word('user'),
    laterUser: word('late'),
    toolResult: word('tool'),
    content: word('text'),
    part: word('part'),
    reasoning: word('thot'),
    names: [word('fna1'), word('fnb2'), word('fnc3')],
    ids: [word('idf4'), word('idg5'), word('idh6')],
    keys: [word('kyt1'), word('kym2'), word('kyc3')],
    values: [word('vlj1'), word('vlk2'), word('vll3')],
    inner: [word('inu1'), word('inh2'), word('inp3'), word('inb4')],
    typed: {
      string: word('tys1'),
      integer: word('tyi2'),
      number: word('tyn3'),
      boolean: word('tyb4'),
      null: word('tyz5'),
      array: word('tya6'),
      object: word('tyo7'),
    },
    bos: word('bos0'),
    eos: word('eos0'),
  };
}
