/**
 * Notations in which models write calls although their template has another one, as data: each is the calls of a format,
 * so what reads, writes and constrains the calls of a template does the same for these. JSON is not among them: the
 * parser reads its members in any order and under other keys.
 */
import type { ArgumentsFormat, CallPart, CallsFormat, EntryArguments, ValueFrame } from './call-format.ts';
import type { ChatFormat } from './chat-format.ts';

const style = { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false, sortKeys: false };
const bare = { open: '', close: '' };
const raw: ValueFrame = { ...bare, codec: 'raw' };
const json: ValueFrame = { ...bare, codec: 'json' };
/** Words and containers as Python writes them, or as JSON. */
const python: ValueFrame = { ...bare, codec: 'python' };
const name = { hole: 'name' } as const;
const key = { hole: 'key' } as const;

function calls(
  open: string,
  head: readonly CallPart[],
  values: ArgumentsFormat,
  close: string,
  tail: readonly CallPart[] = [],
): CallsFormat {
  return {
    section: bare,
    sectionCloseOptional: false,
    call: { open, close },
    separator: '\n',
    parallel: true,
    head,
    arguments: values,
    tail,
    envelope: null,
    id: null,
    unshown: ['spacing', 'gaps'],
  };
}

function entries(
  entry: EntryArguments['entry'],
  string: ValueFrame = raw,
  other: ValueFrame = python,
): EntryArguments {
  return {
    kind: 'entries',
    ...bare,
    entry,
    separator: '',
    empty: '',
    frames: { string, number: other, boolean: other, null: other, array: other, object: other },
    alternativeString: null,
    nested: null,
    style,
    sorted: false,
  };
}

const object: ArgumentsFormat = { kind: 'json', encoding: 'value', style, empty: null };
const parameters = entries({ open: '<parameter name="', key: '">', close: ['</parameter>\n'] });
const attributes = (before: string) =>
  entries(
    { open: `<${before}parameter name="`, key: '" string="', close: [`</${before}parameter>\n`] },
    { ...raw, open: 'true">' },
    { ...json, open: 'false">' },
  );
const nested: ValueFrame = { ...bare, codec: 'nested' };
const quotedByTokens = entries(
  { open: '', key: ':', close: [] },
  { open: '<|"|>', close: '<|"|>', codec: 'raw' },
  json,
);
const tokenQuotes: EntryArguments = {
  ...quotedByTokens,
  separator: ',',
  frames: { ...quotedByTokens.frames, array: nested, object: nested },
  nested: {
    object: { open: '{', close: '}', separator: ',', keyOpen: '', keyClose: ':', entryClose: [] },
    array: { open: '[', close: ']', separator: ',', itemOpen: '', itemClose: '' },
  },
};
const numbered: CallPart = { hole: 'composed-id', parts: [name, ':', { hole: 'index', base: 0 }] };
const argumentsToken = '<|tool_call_argument_begin|>';
const parameterTags = entries({ open: '<parameter=', key: '>\n', close: ['\n</parameter>\n'] });
const tags = entries({ open: '<', key: '>', close: ['</', key, '>\n'] });
const keywords: EntryArguments = {
  ...entries({ open: '', key: '=', close: [] }, python, python),
  separator: ', ',
};

/** The notations, by name, in the order in which they are tried. */
export const callNotations = {
  /** `<invoke name="f">\n<parameter name="a">x</parameter>\n</invoke>` */
  invoke: calls('<invoke name="', [name, '">\n'], parameters, '</invoke>'),
  /** `<invoke name="f">\n<parameter name="a" string="true">x</parameter>\n</invoke>` */
  typedInvoke: calls('<invoke name="', [name, '">\n'], attributes(''), '</invoke>'),
  /** `<invoke name="f">\n<a>x</a>\n</invoke>` */
  invokeTags: calls('<invoke name="', [name, '">\n'], tags, '</invoke>'),
  /** `<function=f>\n<parameter=a>\nx\n</parameter>\n</function>` */
  functionTag: calls('<function=', [name, '>\n'], parameterTags, '</function>'),
  /** `<parameter=f>\n<parameter=a>\nx\n</parameter>\n</function>` */
  parameterTag: calls('<parameter=', [name, '>\n'], parameterTags, '</function>'),
  /** `<parameter=tool_name>f</parameter>\n<parameter=a>x</parameter>\n</tool_use>` */
  nameAsParameter: calls(
    '<parameter=tool_name>',
    [name, '</parameter>\n'],
    entries({ open: '<parameter=', key: '>', close: ['</parameter>\n'] }),
    '</tool_use>',
  ),
  /** `<｜｜DSML｜｜invoke name="f">\n<｜｜DSML｜｜parameter name="a" string="true">x</｜｜DSML｜｜parameter>\n</｜｜DSML｜｜invoke>` */
  doubledBars: calls(
    '<｜｜DSML｜｜invoke name="',
    [name, '">\n'],
    attributes('｜｜DSML｜｜'),
    '</｜｜DSML｜｜invoke>',
  ),
  /** The same with a space after the bars. */
  doubledBarsApart: calls(
    '<｜｜DSML｜｜ invoke name="',
    [name, '">\n'],
    attributes('｜｜DSML｜｜ '),
    '</｜｜DSML｜｜ invoke>',
  ),
  /** `f:0<|tool_call_argument_begin|>{"a": "x"}` */
  numbered: calls('', [numbered, argumentsToken], object, ''),
  /** `functions.f:0<|tool_call_argument_begin|>{"a": "x"}` */
  prefixed: calls('functions.', [numbered, argumentsToken], object, ''),
  /** `<f>{"a": "x"}</f>` */
  nameTagJson: calls('<', [name, '>'], object, '>', ['</', name]),
  /** `<f>\n<a>x</a>\n</f>` */
  nameTag: calls('<', [name, '>\n'], tags, '>', ['</', name]),
  /** `f({"a": "x"})` */
  nameCallJson: calls('', [name, '('], object, ')'),
  /** `f(a="x")` */
  python: calls('', [name, '('], keywords, ')'),
  /** `f\n{"a": "x"}` */
  nameJson: calls('', [name, '\n'], object, ''),
  /** `f{a:<|"|>x<|"|>}` */
  tokenQuotes: calls('', [name, '{'], tokenQuotes, '}'),
  /** `[Calling tool: f({"a": "x"})]` */
  transcript: calls('[Calling tool: ', [name, '('], object, ')]'),
  /** `[Calling tool: f with arguments: {"a": "x"}]` */
  transcriptWords: calls('[Calling tool: ', [name, ' with arguments: '], object, ']'),
} as const satisfies Readonly<Record<string, CallsFormat>>;

const capabilities: ChatFormat['capabilities'] = {
  supportsTools: true,
  supportsToolCalls: true,
  supportsSystemRole: true,
  supportsParallelToolCalls: true,
  supportsPreserveReasoning: true,
  supportsReasoningEffort: false,
  supportsStringContent: true,
  supportsTypedContent: false,
  supportsObjectArguments: true,
};

/** The name of a notation. */
export type CallNotationName = keyof typeof callNotations;

/** A format of nothing but calls in a notation. */
export function notationFormat(notation: CallNotationName): ChatFormat {
  return {
    version: 1,
    templateSha256: `notation ${notation}`,
    labels: { toolFormat: null, reasoningMode: 'none', contentMode: 'plain' },
    capabilities,
    input: { arguments: 'object', emptyContent: 'empty', reasoningField: null, thinkingVariables: [] },
    turn: { start: '', ends: [], restart: false, prompt: { unset: '', on: '', off: '' } },
    reasoning: null,
    content: { ...bare, withCalls: null, position: 'before-calls', beforeCalls: '' },
    calls: callNotations[notation],
    preservedTokens: [],
    stops: [],
  };
}
