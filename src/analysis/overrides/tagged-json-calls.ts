import type { FormatOverride } from './format-override.ts';

/** Calls as JSON objects in tags. */
export const taggedJsonCalls: FormatOverride = {
  reason:
    'The template drops the calls of earlier messages. Only its system prompt says, in words, that each call is a JSON object with name and arguments in these tags.',
  templates: ['19eacf64569032f07644ea92c8e2a87af06ee7008147557302c31e474912ca97'],
  format: {
    content: { beforeCalls: '\n' },
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
