import type { FormatOverride } from './format-override.ts';

/** Calls as Python expressions in a list between two special tokens. */
export const pythonicCalls: FormatOverride = {
  reason:
    'These templates list the tools and never render a call. A later template of the same family does, and these calls are what it shows.',
  fragments: ['<|im_start|>', 'List of tools: ', 'if tool is not string'],
  format: {
    calls: {
      section: { open: '<|tool_call_start|>[', close: ']<|tool_call_end|>' },
      sectionCloseOptional: false,
      call: { open: '', close: ')' },
      separator: ', ',
      parallel: true,
      head: [{ hole: 'name' }, '('],
      arguments: {
        kind: 'entries',
        open: '',
        close: '',
        entry: { open: '', key: '=', close: [] },
        separator: ', ',
        empty: '',
        frames: {
          string: { open: '', close: '', codec: 'python' },
          number: { open: '', close: '', codec: 'json' },
          boolean: { open: '', close: '', codec: 'python' },
          null: { open: '', close: '', codec: 'python' },
          array: { open: '', close: '', codec: 'python' },
          object: { open: '', close: '', codec: 'json' },
        },
        alternativeString: null,
        nested: null,
        style: { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false, sortKeys: false },
        sorted: false,
      },
      tail: [],
      envelope: null,
      id: null,
    },
  },
};
