import type { FormatOverride } from './format-override.ts';

/** Calls as JSON objects in tags. */
export const taggedJsonCalls: FormatOverride = {
  reason:
    'Some copies of the template neither render calls nor describe tools. The full template tells the model to write each call as a JSON object in these tags.',
  fragments: ['named SmolLM, trained by Hugging Face', '/no_think'],
  format: {
    calls: {
      section: { open: '', close: '' },
      sectionCloseOptional: false,
      call: { open: '<tool_call>\n', close: '\n</tool_call>' },
      separator: '\n',
      parallel: true,
      head: ['{"name": "', { hole: 'name' }, '", "arguments": '],
      arguments: {
        kind: 'json',
        encoding: 'value',
        style: { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false, sortKeys: false },
        empty: null,
      },
      tail: ['}'],
      envelope: { name: ['name'], arguments: ['arguments'], id: null, index: null },
      id: null,
    },
  },
};
