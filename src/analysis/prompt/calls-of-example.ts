/** Converts an example of a call in a prompt to the format that a model writes when it follows the example. */
import type {
  ArgumentsFormat,
  CallsFormat,
  Delimiters,
  JsonType,
  ValueFrame,
} from '../../format/chat-format.ts';
import { spacedStyle } from '../literals/find-json.ts';
import type {
  CallExample,
  HeadedExample,
  JsonExample,
  PythonExample,
  TaggedExample,
} from './call-example.ts';

/** The calls of an example. */
export function callsOfExample(example: CallExample): CallsFormat {
  switch (example.kind) {
    case 'json':
      return jsonCalls(example);
    case 'python':
      return pythonCalls(example);
    case 'tagged':
      return taggedCalls(example);
    case 'headed':
      return headedCalls(example);
  }
}

const common = { sectionCloseOptional: false, parallel: true, id: null, basis: 'prompt' } as const;
const nothing: Delimiters = { open: '', close: '' };

/** Calls of a list are in one section; other calls are each between the markers of the example. */
function around({ open, close, isList }: JsonExample | PythonExample) {
  if (!isList) return { section: nothing, call: { open, close }, separator: '\n' };
  return { section: { open: `${open}[`, close: `]${close}` }, call: nothing, separator: ', ' };
}

function jsonCalls(example: JsonExample): CallsFormat {
  const { nameKey, argumentsKey, argumentsFirst } = example;
  return {
    ...common,
    ...around(example),
    head: argumentsFirst
      ? [`{"${argumentsKey}": `]
      : [`{"${nameKey}": "`, { hole: 'name' }, `", "${argumentsKey}": `],
    arguments: { kind: 'json', encoding: 'value', style: spacedStyle, empty: null },
    tail: argumentsFirst ? [`, "${nameKey}": "`, { hole: 'name' }, '"}'] : ['}'],
    envelope: { name: [nameKey], arguments: [argumentsKey], id: null, index: null },
  };
}

function pythonCalls(example: PythonExample): CallsFormat {
  const { section, call, separator } = around(example);
  return {
    ...common,
    section,
    call: { open: call.open, close: `)${call.close}` },
    separator,
    head: [{ hole: 'name' }, '('],
    arguments: pythonArguments,
    tail: [],
    envelope: null,
  };
}

const entryDefaults = {
  open: '',
  close: '',
  empty: '',
  alternativeString: null,
  nested: null,
  sorted: false,
};

/** Keyword arguments with Python's literals. */
const pythonArguments: ArgumentsFormat = {
  ...entryDefaults,
  kind: 'entries',
  entry: { open: '', key: '=', close: [] },
  separator: ', ',
  frames: framesOf((type) => (type === 'number' ? 'json' : 'python')),
  style: spacedStyle,
};

function taggedCalls(example: TaggedExample): CallsFormat {
  const { section, open, afterName, keyOpen, keyToValue, valueClose, separator, close } = example;
  return {
    ...common,
    section,
    call: { open, close },
    separator: '\n',
    head: [{ hole: 'name' }, afterName],
    arguments: {
      ...entryDefaults,
      kind: 'entries',
      entry: { open: keyOpen, key: keyToValue, close: [valueClose] },
      separator,
      frames: framesOf((type) => (type === 'string' ? 'raw' : 'json')),
      style: spacedStyle,
    },
    tail: [],
    envelope: null,
  };
}

function headedCalls({ section, call, nameToArguments }: HeadedExample): CallsFormat {
  return {
    ...common,
    section,
    call,
    separator: '\n',
    head: [{ hole: 'name' }, nameToArguments],
    arguments: { kind: 'json', encoding: 'value', style: spacedStyle, empty: null },
    tail: [],
    envelope: null,
  };
}

function framesOf(codec: (type: JsonType) => ValueFrame['codec']): Readonly<Record<JsonType, ValueFrame>> {
  const frame = (type: JsonType): ValueFrame => ({ ...nothing, codec: codec(type) });
  return {
    string: frame('string'),
    number: frame('number'),
    boolean: frame('boolean'),
    null: frame('null'),
    array: frame('array'),
    object: frame('object'),
  };
}
