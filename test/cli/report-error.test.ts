import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { reportError } from '../../src/cli/report-error.ts';
import { TemplateError } from '../../src/errors.ts';

const error = new TemplateError({ template: 'a.jinja', reason: 'missing }}', kind: 'syntax', line: 3 });

describe('an error that ends a command', () => {
  it('is one line for a person', () => {
    expect(stripVTControlCharacters(reportError(error, false))).toBe('error a.jinja:3: missing }}\n');
  });

  it('is its facts for a program', () => {
    expect(JSON.parse(reportError(error, true))).toEqual({
      error: {
        code: 'template',
        message: 'a.jinja:3: missing }}',
        template: 'a.jinja',
        reason: 'missing }}',
        kind: 'syntax',
        line: 3,
      },
    });
  });

  it('shows the stack of a defect', () => {
    expect(reportError(new RangeError('oops'), true)).toMatch(/internal error.* RangeError: oops\n\s+at /s);
  });
});
