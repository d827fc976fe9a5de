/** Where a template is wrong: the line, the column of the tag, and the line itself. */
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { reportError } from '../../src/cli/report-error.ts';
import { TemplateError } from '../../src/format/errors.ts';
import { parseTemplate } from '../../src/template/template.ts';

const text = fc.stringMatching(/^[a-z .]{0,90}$/);
const wrong = fc.constantFrom('{{ a', '{% if a', '{# a', '{% endfor %}', '{{ a b }}', "{{ 'a }}");

function errorOf(source: string): TemplateError {
  try {
    parseTemplate(source, { name: 'a.jinja' });
  } catch (error) {
    if (error instanceof TemplateError) return error;
  }
  throw new Error(`no error in ${source}`);
}

it('the place of an error is told to the character, in any line and with any line ends', () => {
  const lines = fc.array(text, { maxLength: 4 });
  const ends = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(lines, text, wrong, text, lines, ends, (before, left, tag, right, after, end) => {
      const error = errorOf([...before, left + tag + right, ...after].join(end));
      expect(error).toMatchObject({
        kind: 'syntax',
        line: before.length + 1,
        column: left.length + 1,
        sourceLine: left + tag + right,
      });
      expect(error.message).toContain(`a.jinja:${before.length + 1}:${left.length + 1}: `);
    }),
  );
});

it('the line of what is no filter, no test or no target is told, however deep it stands', () => {
  const unknown = fc.constantFrom('{{ a|nope }}', '{{ a is nope }}', "{% set 'a' = 1 %}", '{{ x.y | (a) }}');
  const blocks = fc.array(
    fc.constantFrom(['{% for a in b %}', '{% endfor %}'], ['{% macro m() %}', '{% endmacro %}']),
    {
      maxLength: 3,
    },
  );
  const lines = fc.array(text, { maxLength: 4 });
  fc.assert(
    fc.property(lines, blocks, lines, unknown, lines, (before, around, inside, tag, after) => {
      const opened = around.map(([open]) => open);
      const closed = around.map(([, close]) => close).reverse();
      const source = [...before, ...opened, ...inside, tag, ...closed, ...after].join('\n');
      const { line, sourceLine, kind } = errorOf(source);
      expect({ kind, line, sourceLine }).toEqual({
        kind: 'syntax',
        line: before.length + opened.length + inside.length + 1,
        sourceLine: tag,
      });
    }),
  );
});

it('the place of an error is marked with a caret in the terminal, under the tag', () => {
  fc.assert(
    fc.property(text, wrong, text, (left, tag, right) => {
      const shown = stripVTControlCharacters(reportError(errorOf(left + tag + right), false));
      const [, line = '', caret = ''] = shown.split('\n');
      expect(line.slice(caret.indexOf('^')).startsWith(tag.slice(0, 3))).toBe(true);
      expect(line.length).toBeLessThanOrEqual(80);
    }),
  );
});

it('values in brackets need a comma between them, as Jinja demands', () => {
  const value = fc.constantFrom('a', '1', '{"b": 1}', '(a)', 'a.b', 'a | list', 'not a');
  const next = fc.constantFrom('a', '1', '"s"', 'for a in b');
  const brackets = fc.constantFrom(['[', ']'], ['(', ')'], ['a(', ')'], ['a[', ']']);
  fc.assert(
    fc.property(value, next, brackets, (left, right, [open, close]) => {
      const source = (between: string) => `{{ ${open}${left}${between}${right}${close} }}`;
      expect(errorOf(source(' '))).toMatchObject({ kind: 'syntax', line: 1, column: 1 });
      if (!right.startsWith('for') && open !== 'a[') parseTemplate(source(', '));
      if (!right.startsWith('for')) parseTemplate(source(' ~ '));
    }),
  );
  parseTemplate('{{ ["a" "b"] }}');
});
