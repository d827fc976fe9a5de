/** Response templates of several styles, and pieces of text in which they find something to do. */
import type { ResponseTemplate } from '../../src/response-template/index.ts';

/** A template and the words of its language. */
export interface Sample {
  readonly name: string;
  readonly template: ResponseTemplate;
  readonly pieces: readonly string[];
}

const call = { type: 'function', function: '{content}' };
const prose = ['Hi ', 'a < b', '\n', '<', ' é😀 ', 'x'];

/** Tagged thinking and JSON calls around implicit content. */
export const tagged: Sample = {
  name: 'tagged',
  template: {
    defaults: { role: 'assistant' },
    start_anchor: '<|turn>assistant\n',
    fields: {
      thinking: { open: '<think>', close: '</think>' },
      tool_calls: { open: '<call>', close: '</call>', repeats: true, content: 'json', transform: call },
      content: { close: ['<|end|>', '<|end|>\n'] },
    },
  },
  pieces: [
    ...prose,
    '<think>',
    '</think>',
    '<call>{"name":"f"}</call>',
    '<call>',
    '{"name":"g"}',
    '</call>',
    '<|end|>',
    '<|en',
  ],
};

/** The function's name in the opener, arguments in tags. */
export const named: Sample = {
  name: 'named',
  template: {
    start_anchor: '@@',
    fields: {
      content: { content_args: { strip: false } },
      calls: {
        open_pattern: '<call>\\s*<f=(?P<name>\\w+)>',
        close_pattern: '</f>\\s*</call>|</call>',
        repeats: true,
        content: 'xml-inline',
        content_args: { tag_pattern: '<p=(?P<key>\\w+)>(?P<value>.*?)</p>' },
        transform: { name: '{name}', arguments: '{content}' },
      },
    },
  },
  pieces: [
    ...prose,
    '<call>',
    '  ',
    '<f=é1>',
    '<p=a>1</p>',
    '<p=b>',
    '</p>',
    '</f>',
    '</call>',
    '<call><f=g>',
  ],
};

/** Channels without implicit content, and a greedy opener. */
export const channels: Sample = {
  name: 'channels',
  template: {
    start_anchor: '<|start|>',
    fields: {
      analysis: { open: '<|c|>analysis<|m|>', close: '<|end|>', repeats: true, join: '\n' },
      final: { open_pattern: '<\\|c\\|>final#*', close: ['<|end|>', '<|return|>'], optional: true },
      calls: {
        open_pattern: '<\\|c\\|>to=(?P<to>\\w+).*?<\\|m\\|>',
        close: '<|call|>',
        content: 'json',
        content_args: { allow_non_json: true },
        transform: { to: '{to}', input: '{content}' },
        repeats: true,
      },
    },
  },
  pieces: [
    ...prose,
    '<|c|>',
    'analysis',
    'final',
    '#',
    'to=f',
    '<|m|>',
    '<|end|>',
    '<|return|>',
    '<|call|>',
    '{"a":1}',
  ],
};

/** Patterns beyond the regular ones, and delimiters that may be empty. */
const peculiar: Sample = {
  name: 'peculiar',
  template: {
    start_anchor: '@@',
    fields: {
      first: { open_pattern: '^(?=<)', close: '>' },
      quoted: {
        open_pattern: '(?P<q>[\'"]{1,2})(?P=q)',
        close_pattern: '!+',
        transform: { q: '{q}', v: '{content}' },
      },
      marked: { open_pattern: '(?<!x)#(?!#)', close_pattern: '\\n|$' },
      rest: { content_args: { strip: false }, close_pattern: ';(?:\\b|$)' },
    },
  },
  pieces: [...prose, '>', "''", '"', '!', '#', 'x#', ';', 'b', '!\n'],
};

export const samples: readonly Sample[] = [tagged, named, channels, peculiar];
