import type { FormatOverride } from './format-override.ts';

/** Calls as Python expressions in a list between two special tokens. */
export const pythonicCalls: FormatOverride = {
  reason:
    'These templates list the tools and never render a call. A later template of the same family does, and these calls are what it shows.',
  templates: [
    '2294f49b51a0b9a1b0194add3f124237b5bd986599f43180eec49bba4de01365',
    'f05bf4b967dc993bdc7a2fe6e43759ee218eb0eb340d68b063e1c4f8ad148176',
  ],
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
          string: { open: "'", close: "'", codec: 'raw' },
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
