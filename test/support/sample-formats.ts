/**
 * Formats written by hand, one for each layout of calls, with markers that no model has. They test the
 * parser apart from the analysis.
 */
import type {
  CallsFormat,
  ChatFormat,
  ContentFormat,
  EntryArguments,
  JsonArguments,
  JsonType,
  ReasoningFormat,
  TurnFormat,
  ValueFrame,
} from '../../src/format/chat-format.ts';

const style = { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false, sortKeys: false };
const json: JsonArguments = { kind: 'json', encoding: 'value', style, empty: null };
const none = { open: '', close: '' };
const name = { hole: 'name' } as const;

const plainTurn: TurnFormat = {
  start: '<turn>bot\n',
  ends: ['<over>\n'],
  restart: false,
  prompt: { unset: '', on: '', off: '<muse>\n\n</muse>\n\n' },
};
const plainReasoning: ReasoningFormat = {
  start: '<muse>\n',
  end: '\n</muse>\n\n',
  empty: '',
  preserved: 'always',
  basis: 'history',
};
const plainContent: ContentFormat = {
  ...none,
  withCalls: null,
  position: 'before-calls',
  beforeCalls: '\n',
};

const jsonCalls: CallsFormat = {
  section: none,
  sectionCloseOptional: false,
  call: { open: '<use>\n', close: '\n</use>' },
  separator: '\n',
  parallel: true,
  head: ['{"name": "', name, '", "arguments": '],
  arguments: json,
  tail: ['}'],
  envelope: { name: ['name'], arguments: ['arguments'], id: null, index: null },
  id: null,
};

function frames(string: ValueFrame, other: ValueFrame): Readonly<Record<JsonType, ValueFrame>> {
  return { string, number: other, boolean: other, null: other, array: other, object: other };
}

const rawFrame: ValueFrame = { ...none, codec: 'raw' };
const jsonFrame: ValueFrame = { ...none, codec: 'json' };

const taggedEntries: EntryArguments = {
  kind: 'entries',
  ...none,
  entry: { open: '<arg=', key: '>\n', close: ['\n</arg>\n'] },
  separator: '',
  empty: '',
  frames: frames(rawFrame, jsonFrame),
  alternativeString: null,
  nested: null,
  style,
  sorted: false,
};

const taggedCalls: CallsFormat = {
  ...jsonCalls,
  call: { open: '<use>\n<fn=', close: '</fn>\n</use>' },
  head: [name, '>\n'],
  tail: [],
  arguments: taggedEntries,
  envelope: null,
};

function format(calls: CallsFormat | null, changes: Partial<ChatFormat> = {}): ChatFormat {
  return {
    version: 1,
    templateSha256: '0'.repeat(64),
    labels: { toolFormat: null, reasoningMode: 'tag-based', contentMode: 'plain' },
    capabilities: {
      supportsTools: true,
      supportsToolCalls: true,
      supportsSystemRole: true,
      supportsParallelToolCalls: true,
      supportsPreserveReasoning: true,
      supportsReasoningEffort: false,
      supportsStringContent: true,
      supportsTypedContent: false,
      supportsObjectArguments: true,
    },
    input: {
      arguments: 'object',
      emptyContent: 'empty',
      reasoningField: 'reasoning_content',
      thinkingVariables: [],
    },
    turn: plainTurn,
    reasoning: plainReasoning,
    content: plainContent,
    calls,
    preservedTokens: [],
    stops: ['<over>'],
    ...changes,
  };
}

/** `<use>\n{"name": "f", "arguments": {…}}\n</use>` */
export const jsonInTags = format(jsonCalls);

/** `[CALLS][{"name": "f", "arguments": {…}, "id": "x"}, …]` */
export const jsonArray = format(
  {
    ...jsonCalls,
    section: { open: '[CALLS][', close: ']' },
    call: none,
    separator: ', ',
    tail: [', "id": "', { hole: 'id' }, '"}'],
    envelope: { name: ['name'], arguments: ['arguments'], id: ['id'], index: null },
    id: { style: 'free', position: 'after-arguments' },
  },
  { reasoning: null },
);

/** `<fn=f>{…}</fn>` */
export const nameInTag = format({
  ...taggedCalls,
  call: { open: '<fn=', close: '</fn>' },
  head: [name, '>'],
  separator: '',
  arguments: json,
});

/** `[CALLS]f[ID]x[ARGS]{…}[CALLS]…` */
export const bracketed = format({
  ...taggedCalls,
  call: { open: '[CALLS]', close: '' },
  head: [name, '[ID]', { hole: 'id' }, '[ARGS]'],
  separator: '',
  arguments: json,
  id: { style: 'free', position: 'between' },
});

/** `<use>\n<fn=f>\n<arg=a>\nraw\n</arg>\n</fn>\n</use>` */
export const tagged = format(taggedCalls);

/** `<use>f\n<k>a</k>\n<v>raw</v>\n</use>` */
export const pairs = format({
  ...taggedCalls,
  call: { open: '<use>', close: '</use>' },
  head: [name, '\n'],
  arguments: { ...taggedEntries, entry: { open: '<k>', key: '</k>\n<v>', close: ['</v>\n'] } },
});

/** `<calls>[f(a='x', b=1), g()]</calls>` */
export const pythonic = format({
  ...taggedCalls,
  section: { open: '<calls>[', close: ']</calls>' },
  call: { open: '', close: ')' },
  head: [name, '('],
  separator: ', ',
  arguments: {
    ...taggedEntries,
    entry: { open: '', key: '=', close: [] },
    separator: ', ',
    frames: frames({ open: "'", close: "'", codec: 'raw' }, { ...none, codec: 'python' }),
  },
});

/** `<call>f{a:<q>x<q>,b:[1,{c:2}]}</call>` */
export const customQuotes = format({
  ...taggedCalls,
  call: { open: '<call>', close: '}</call>' },
  head: [name, '{'],
  separator: '',
  arguments: {
    ...taggedEntries,
    entry: { open: '', key: ':', close: [] },
    separator: ',',
    frames: {
      ...frames({ open: '<q>', close: '<q>', codec: 'raw' }, jsonFrame),
      array: { ...none, codec: 'nested' },
      object: { ...none, codec: 'nested' },
    },
    nested: {
      object: { open: '{', close: '}', separator: ',', keyOpen: '', keyClose: ':', entryClose: [] },
      array: { open: '[', close: ']', separator: ',', itemOpen: '', itemClose: '' },
    },
  },
});

/** `<a>1</a>` for `{"a": 1}`, `<item>` for items: containers have no brackets. */
export const nestedTags = format({
  ...taggedCalls,
  call: { open: '<use name="', close: '</use>' },
  head: [name, '">'],
  arguments: {
    ...taggedEntries,
    entry: { open: '<', key: '>', close: ['</', { hole: 'key' }, '>'] },
    frames: {
      ...frames(rawFrame, jsonFrame),
      null: { ...none, codec: 'absent' },
      array: { ...none, codec: 'nested' },
      object: { ...none, codec: 'nested' },
    },
    nested: {
      object: {
        ...none,
        separator: '',
        keyOpen: '<',
        keyClose: '>',
        entryClose: ['</', { hole: 'key' }, '>'],
      },
      array: { ...none, separator: '', itemOpen: '<item>', itemClose: '</item>' },
    },
  },
});

/** The opener of a value shows its type: `<arg name="a" text="yes">`. */
export const typedFrames = format({
  ...taggedCalls,
  arguments: {
    ...taggedEntries,
    entry: { open: '<arg name="', key: '" text="', close: ['</arg>\n'] },
    frames: frames({ open: 'yes">', close: '', codec: 'raw' }, { open: 'no">', close: '', codec: 'json' }),
  },
});

/** `|chan|think|text|…|stop|` and `|chan| to=tool.f|text|{…}|stop|`, with the turn restarting. */
export const channels = format(
  {
    ...taggedCalls,
    call: { open: ' to=tool.', close: '' },
    head: [name, '|chan|side|text|'],
    separator: '',
    parallel: false,
    arguments: json,
  },
  {
    turn: { ...plainTurn, start: '|begin|bot', ends: ['|done|', '|stop|'], restart: true },
    reasoning: { ...plainReasoning, start: '|chan|think|text|', end: '|stop||begin|bot', empty: '' },
    content: { ...plainContent, open: '|chan|answer|text|', beforeCalls: '', position: 'dropped' },
    stops: ['|done|'],
  },
);

/** `<calls><call>tool.f:0<args>{…}</call></calls>` */
export const composedIds = format({
  ...taggedCalls,
  section: { open: '<calls>', close: '</calls>' },
  call: { open: '<call>', close: '</call>' },
  head: [{ hole: 'composed-id', parts: ['tool.', name, ':', { hole: 'index', base: 0 }] }, '<args>'],
  separator: '',
  arguments: json,
  id: { style: 'composed', position: 'before-name' },
});

/** `{"name": "f", "parameters": {…}}` and nothing around it. */
export const noMarker = format(
  {
    ...jsonCalls,
    call: none,
    separator: '',
    parallel: false,
    head: ['{"name": "', name, '", "parameters": '],
    envelope: { name: ['name'], arguments: ['parameters'], id: null, index: null },
  },
  { reasoning: null, content: { ...plainContent, position: 'dropped', beforeCalls: '' } },
);

/** A bare JSON array after the content. */
export const noMarkerList = format(
  {
    ...jsonCalls,
    section: { open: '[', close: ']' },
    call: none,
    separator: ', ',
    tail: [', "id": "', { hole: 'id' }, '"}'],
    envelope: { name: ['name'], arguments: ['arguments'], id: ['id'], index: null },
    id: { style: 'free', position: 'after-arguments' },
  },
  { reasoning: null, content: { ...plainContent, beforeCalls: '' } },
);

/** `<calls>[{"f": {…}}]</calls>` */
export const nameAsKey = format({
  ...jsonCalls,
  section: { open: '<calls>[', close: ']</calls>' },
  call: none,
  separator: ', ',
  head: ['{"', name, '": '],
  envelope: { name: null, arguments: [], id: null, index: null },
});

/** `<say>…</say>`, calls numbered in a JSON array. */
export const wrappedContent = format(
  {
    ...jsonCalls,
    section: { open: '<act>[', close: '\n]</act>' },
    call: { open: '\n    ', close: '' },
    separator: ',',
    head: ['{"n": "', { hole: 'index', base: 0 }, '", "name": "', name, '", "arguments": '],
    envelope: { name: ['name'], arguments: ['arguments'], id: null, index: ['n'] },
    id: { style: 'index', position: 'before-name' },
  },
  {
    reasoning: { ...plainReasoning, start: '<muse>', end: '</muse>' },
    content: { ...plainContent, open: '<say>', close: '</say>', beforeCalls: '' },
  },
);

/** Nothing opens the reasoning; `[ANSWER]` ends it. */
export const delimited = format(jsonCalls, {
  turn: { ...plainTurn, prompt: { unset: 'Steps:\n', on: 'Steps:\n', off: '' } },
  reasoning: { ...plainReasoning, start: '', end: '\n[ANSWER]\n' },
});

/** A model without calls. */
export const plain = format(null, { reasoning: null });

/** All of them, by name. */
export const sampleFormats: readonly (readonly [name: string, format: ChatFormat])[] = Object.entries({
  jsonInTags,
  jsonArray,
  nameInTag,
  bracketed,
  tagged,
  pairs,
  pythonic,
  customQuotes,
  nestedTags,
  typedFrames,
  channels,
  composedIds,
  noMarker,
  noMarkerList,
  nameAsKey,
  wrappedContent,
  delimited,
  plain,
});
