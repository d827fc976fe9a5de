/** String formats as languages. `docs/json-schema.md` says which definition of each is enforced. */

/** A regular expression for a format, `null` for a name that asserts nothing, or `unsupported`. */
export function formatPattern(format: string): string | null | 'unsupported' {
  return patterns.get(format) ?? (unsupported.has(format) ? 'unsupported' : null);
}

/** Formats whose language is too small: some valid strings cannot be written. */
export const narrowedFormats: ReadonlyMap<string, string> = new Map([
  ['regex', 'only common constructs are written, with groups up to three deep'],
]);

/** What is not enforced of a format, as the report says it, unless no text may have more than `beyond` characters. */
export interface Unenforced {
  readonly beyond: number;
  readonly reason: string;
}

const idnaHosts = {
  beyond: 2,
  reason: 'which letters a host may have, by the rules of IDNA, is not enforced',
};

/** Formats with rules that would make the automaton too large. */
export const unenforcedRules: ReadonlyMap<string, Unenforced> = new Map([
  [
    'hostname',
    {
      beyond: 4,
      reason:
        'neither the limit of 253 characters for a whole name is enforced, nor what labels such as `xn--a` may encode',
    },
  ],
  [
    'email',
    {
      beyond: 64,
      reason: 'the limits of 64 characters before the @ and 255 after it are not enforced',
    },
  ],
  ['iri', idnaHosts],
  ['iri-reference', idnaHosts],
]);

/** OpenAPI's formats of integers, by their bits. */
export const integerFormats: ReadonlyMap<string, IntegerRange> = new Map(
  [8, 16, 32, 64].flatMap((bits) => [
    [`int${bits}`, { least: -(2n ** BigInt(bits - 1)), most: 2n ** BigInt(bits - 1) - 1n }] as const,
    [`uint${bits}`, { least: 0n, most: 2n ** BigInt(bits) - 1n }] as const,
  ]),
);

/** The integers of a format. */
export interface IntegerRange {
  readonly least: bigint;
  readonly most: bigint;
}

/** Formats of OpenAPI that say how a value is stored or shown. Any JSON number is a `double`. */
export const storageFormats = {
  number: new Set(['float', 'single-int', 'double-int', 'decimal', 'decimal128']),
  string: new Set(['binary', 'base64url', 'char', 'commonmark', 'html', 'media-range', 'password']),
} as const;

/** Whether a format is one of JSON Schema's or OpenAPI's, of texts or of numbers. */
export function isKnownFormat(format: string): boolean {
  const isStored =
    storageFormats.number.has(format) || storageFormats.string.has(format) || format === 'double';
  return isStored || formatPattern(format) !== null || integerFormats.has(format);
}

const unsupported: ReadonlySet<string> = new Set(['idn-email', 'idn-hostname']);

const month31 = '(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])';
const month30 = '(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)';
const february = '02-(?:0[1-9]|1\\d|2[0-8])';
const leapYear = '(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)';
const date = `(?:\\d{4}-(?:${month31}|${month30}|${february})|${leapYear}-02-29)`;
const offset = '(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)';
const leapSecond = '23:59:60(?:\\.\\d+)?[Zz]';
const clock = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?';
const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const ipv4 = `(?:${octet}\\.){3}${octet}`;
const port = '(?:6553[0-5]|655[0-2]\\d|65[0-4]\\d\\d|6[0-4]\\d{3}|[1-5]\\d{4}|\\d{0,4})';
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const anyLabel = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const group = '[0-9A-Fa-f]{1,4}';

/** RFC 3987: `ucschar`, of which each plane has its own range, and `iprivate`. */
const beyondAscii =
  '\\u00a0-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\uffef' +
  Array.from('123456789abcd', (plane) => `\\u{${plane}0000}-\\u{${plane}fffd}`).join('') +
  '\\u{e1000}-\\u{efffd}';
const privateUse = '\\ue000-\\uf8ff\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}';

function ipv6(): string {
  const last = `(?:${group}:${group}|${ipv4})`;
  const cases = [`(?:${group}:){6}${last}`, `::(?:${group}:){5}${last}`];
  for (let before = 0; before <= 4; before += 1) {
    cases.push(`(?:(?:${group}:){0,${before}}${group})?::(?:${group}:){${4 - before}}${last}`);
  }
  cases.push(`(?:(?:${group}:){0,5}${group})?::${group}`, `(?:(?:${group}:){0,6}${group})?::`);
  return `(?:${cases.join('|')})`;
}

/** URIs, or IRIs with the characters `more`, and `inQuery` in the query alone. */
function uri(more = '', inQuery = ''): { absolute: string; relative: string } {
  const unreserved = `[A-Za-z0-9._~!$&'()*+,;=:${more}-]|%[0-9A-Fa-f]{2}`;
  const pathCharacter = `(?:${unreserved}|[@])`;
  const query = `(?:\\?(?:${unreserved}|[@/?${inQuery}])*)?`;
  const fragment = `(?:#(?:${unreserved}|[@/?])*)?`;
  // Users and ports without a host, and hosts of IP versions to come, are valid, too, but `new URL` takes none of them.
  const host = `(?:\\[${ipv6()}\\]|(?:[A-Za-z0-9._~!$&'()*+,;=${more}-]|%[0-9A-Fa-f]{2})+)`;
  const authority = `//(?:(?:(?:${unreserved})*@)?${host}(?::${port})?)?`;
  const rest = `(?:/${pathCharacter}*)*`;
  const rooted = `/(?:${pathCharacter}+${rest})?`;
  const noColon = `(?:[A-Za-z0-9._~!$&'()*+,;=@${more}-]|%[0-9A-Fa-f]{2})+`;
  const absolutePath = `(?:${authority}${rest}|${rooted}|${pathCharacter}+${rest}|)`;
  const relativePath = `(?:${authority}${rest}|${rooted}|${noColon}${rest}|)`;
  return {
    // A scheme alone is valid, too, but no validator in use takes it.
    absolute: `[A-Za-z][A-Za-z0-9+.-]*:(?=.)${absolutePath}${query}${fragment}`,
    relative: `${relativePath}${query}${fragment}`,
  };
}

const plainUri = uri();
const iri = uri(beyondAscii, privateUse);

function whole(pattern: string): string {
  return `^(?:${pattern})$`;
}

const pointer = '(?:/(?:[^~/]|~[01])*)*';
const number = '\\d+';
const durationTime = `T(?:${number}H(?:${number}M(?:${number}S)?)?|${number}M(?:${number}S)?|${number}S)`;
const durationDate = `(?:${number}Y(?:${number}M(?:${number}D)?)?|${number}M(?:${number}D)?|${number}D)`;

/** Two counts up to 999, the second greater: by its length, its first digit, or from one digit on. */
const ascending = [
  ...Array.from('0123456789', (digit) => `${digit},[${digit}-9]`),
  ...Array.from('12345678', (digit) => `${digit}\\d,[${Number(digit) + 1}-9]\\d`),
  '\\d,[1-9]\\d\\d?',
  '[1-9]\\d,[1-9]\\d\\d',
].join('|');

/** Regular expressions: characters, escapes, classes, groups, anchors and quantifiers. */
function regex(depth: number): string {
  const escaped = '\\\\[dDwWsStnrfv.*+?^$(){}|\\[\\]\\\\/-]';
  const inClass = `(?:a-z|A-Z|0-9|a-f|A-F|\\\\[dDwWsStnrfv.*+?^$(){}|\\[\\]\\\\/-]|[^\\[\\]\\\\^-])`;
  const characters = `\\[\\^?${inClass}+-?\\]`;
  const inner = depth === 0 ? '' : `|\\((?:\\?[:=!])?${regex(depth - 1)}\\)`;
  const atom = `(?:[^\\\\^$.*+?()\\[\\]{}|]|\\.|${escaped}|${characters}${inner})`;
  const quantifier = `(?:[*+?]|\\{(?:\\d{1,3},?|${ascending})\\})\\??`;
  const branch = `(?:${atom}(?:${quantifier})?|[\\^$]|\\\\[bB])*`;
  return `${branch}(?:\\|${branch})*`;
}

const templateName =
  '(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*(?:\\*|:[1-9]\\d{0,3})?';
const template = `(?:[!#$&()*+,\\-./0-9:;=?@A-Z\\[\\]_a-z~${beyondAscii}${privateUse}]|%[0-9A-Fa-f]{2}|\\{[+#./;?&=,!@|]?${templateName}(?:,${templateName})*\\})*`;

const patterns: ReadonlyMap<string, string> = new Map(
  Object.entries({
    date,
    time: `(?:${clock}${offset}|${leapSecond})`,
    'date-time': `${date}[Tt](?:${clock}${offset}|${leapSecond})`,
    duration: `P(?:${number}W|${durationDate}(?:${durationTime})?|${durationTime})`,
    email: `${atom}(?:\\.${atom})*@(?:${anyLabel}\\.)+${anyLabel}`,
    hostname: `(?:${label}\\.)*${label}`,
    ipv4,
    ipv6: ipv6(),
    uuid: '[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}',
    uri: plainUri.absolute,
    'uri-reference': `(?:${plainUri.absolute}|${plainUri.relative})`,
    iri: iri.absolute,
    'iri-reference': `(?:${iri.absolute}|${iri.relative})`,
    'uri-template': template,
    regex: regex(2),
    'json-pointer': pointer,
    'relative-json-pointer': `(?:0|[1-9]\\d*)(?:#|${pointer})`,
    byte: '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?',
  }).map(([name, pattern]) => [name, whole(pattern)]),
);
