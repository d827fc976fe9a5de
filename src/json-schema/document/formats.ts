/** String formats as languages. `docs/json-schema.md` says which definition of each is enforced. */

/** A regular expression for a format, `null` for a name that asserts nothing, or `unsupported`. */
export function formatPattern(format: string): string | null | 'unsupported' {
  return patterns.get(format) ?? (unsupported.has(format) ? 'unsupported' : null);
}

/** Formats whose language is too small: some valid strings cannot be written. */
export const narrowedFormats: ReadonlyMap<string, string> = new Map([
  ['regex', 'only common constructs are written, with groups up to three deep'],
]);

/** Formats with a maximum length that would make the automaton too large to enforce: the maximum, and the report. */
export const unenforcedLengths: ReadonlyMap<string, { readonly most: number; readonly reason: string }> =
  new Map([
    ['hostname', { most: 253, reason: 'the limit of 253 characters for a whole name is not enforced' }],
    [
      'email',
      {
        most: 64,
        reason: 'the limits of 64 characters before the @ and 255 after it are not enforced',
      },
    ],
  ]);

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
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const anyLabel = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const group = '[0-9A-Fa-f]{1,4}';
const unreserved = "[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2}";
const pathCharacter = `(?:${unreserved}|[@])`;
const query = `(?:\\?(?:${unreserved}|[@/?])*)?`;
const fragment = `(?:#(?:${unreserved}|[@/?])*)?`;

function ipv6(): string {
  const last = `(?:${group}:${group}|${ipv4})`;
  const cases = [`(?:${group}:){6}${last}`, `::(?:${group}:){5}${last}`];
  for (let before = 0; before <= 4; before += 1) {
    cases.push(`(?:(?:${group}:){0,${before}}${group})?::(?:${group}:){${4 - before}}${last}`);
  }
  cases.push(`(?:(?:${group}:){0,5}${group})?::${group}`, `(?:(?:${group}:){0,6}${group})?::`);
  return `(?:${cases.join('|')})`;
}

function uri(): { absolute: string; relative: string } {
  const host = `(?:\\[(?:${ipv6()}|v[0-9A-Fa-f]+\\.(?:[A-Za-z0-9._~!$&'()*+,;=:-])+)\\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)`;
  const authority = `//(?:(?:${unreserved})*@)?${host}(?::\\d*)?`;
  const rest = `(?:/${pathCharacter}*)*`;
  const rooted = `/(?:${pathCharacter}+${rest})?`;
  const noColon = `(?:[A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2})+`;
  const absolutePath = `(?:${authority}${rest}|${rooted}|${pathCharacter}+${rest}|)`;
  const relativePath = `(?:${authority}${rest}|${rooted}|${noColon}${rest}|)`;
  return {
    absolute: `[A-Za-z][A-Za-z0-9+.-]*:${absolutePath}${query}${fragment}`,
    relative: `${relativePath}${query}${fragment}`,
  };
}

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

const international = (pattern: string) =>
  pattern.replaceAll(
    'A-Za-z0-9._~',
    'A-Za-z0-9._~\\u00a0-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\uffef\\u{10000}-\\u{1fffd}',
  );
const templateName =
  '(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*(?:\\*|:[1-9]\\d{0,3})?';
const template = `(?:[!#$&()*+,\\-./0-9:;=?@A-Z\\[\\]_a-z~]|%[0-9A-Fa-f]{2}|\\{[+#./;?&=,!@|]?${templateName}(?:,${templateName})*\\})*`;

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
    uri: uri().absolute,
    'uri-reference': `(?:${uri().absolute}|${uri().relative})`,
    iri: international(uri().absolute),
    'iri-reference': international(`(?:${uri().absolute}|${uri().relative})`),
    'uri-template': template,
    regex: regex(2),
    'json-pointer': pointer,
    'relative-json-pointer': `(?:0|[1-9]\\d*)(?:#|${pointer})`,
  }).map(([name, pattern]) => [name, whole(pattern)]),
);
