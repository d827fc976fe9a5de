/** The notation of `test/cases`: what is read, and what is refused with its place. */
import { describe, expect, it } from 'vitest';
import { readCaseFile } from '../cases/read-case-file.ts';

const file = (body: string) => `# Title\n\nTemplate: \`llama/X.jinja\`\n\n${body}`;
const blocks = '```response\nHi ⟦<x>⟧\n\n```\n\n```events\n0 finish stop\n```\n';

describe('readCaseFile', () => {
  it('reads options, special tokens and white space', () => {
    const options = [
      '- prompt: `"<a>\\n"`',
      '- tools: none',
      '- parallel calls: off',
      '- thoughts: in the content',
      '- special tokens: `<x>`, `</x>`',
      '- line ends: CRLF',
      '- known defect: it is wrong',
    ].join('\n');
    expect(readCaseFile(file(`## First\n\nProse.\n\n${options}\n\n${blocks}`), 'f.md')).toEqual({
      template: 'llama/X.jinja',
      cases: [
        {
          title: 'First',
          line: 5,
          options: {
            generationPrompt: '<a>\n',
            parallelToolCalls: false,
            reasoningFormat: 'none',
            specialTokens: ['<x>', '</x>'],
          },
          tools: 'none',
          response: [{ text: 'Hi ' }, { text: '<x>', special: true }, { text: '\r\n' }],
          events: ['0 finish stop'],
          knownDefect: 'it is wrong',
        },
      ],
    });
  });

  it('knows the line of each case', () => {
    const { cases } = readCaseFile(file(`## A\n\n${blocks}\n## B\n\n${blocks}`), 'f.md');
    expect(cases.map(({ title, line }) => [title, line])).toEqual([
      ['A', 5],
      ['B', 16],
    ]);
  });

  it.each([
    ['no template', '# Title\n', 'f.md:1'],
    ['an unknown option', file(`## A\n\n- thought: none\n\n${blocks}`), 'f.md:5'],
    ['an unknown value', file(`## A\n\n- tools: some\n\n${blocks}`), 'f.md:5'],
    ['no response', file('## A\n\n```events\n```\n'), 'f.md:5'],
    ['no events', file('## A\n\n```response\n```\n'), 'f.md:5'],
  ])('refuses %s', (_name, text, place) => {
    expect(() => readCaseFile(text, 'f.md')).toThrow(place);
  });
});
