/** `docs/serve.md` against the code: every field and every option, and no other. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  fieldsWithoutEffect,
  readFields,
  refusedFields,
} from '../../src/serve/chat-completions/read-request.ts';
import { readHandlerOptions } from '../../src/serve/handler-options.ts';
import { samplingFields } from '../../src/serve/sampling-fields.ts';

const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/serve.md'), 'utf8');

/** The names in the first cells of a section's table. */
function listed(section: string): readonly string[] {
  const text = page.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  const cells = Array.from(text.matchAll(/^\| (`[^|]*`) \|/gm), ([, cell = '']) => cell);
  return cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name)).sort();
}

/** What every request needs to say. */
const named = ['model'];

describe('the page lists', () => {
  it('every field of a chat completion', () => {
    const refused = refusedFields.map(({ name }) => name);
    const known = [...readFields, ...samplingFields, ...fieldsWithoutEffect, ...refused];
    expect(listed('`/v1/chat/completions`')).toEqual(known.filter((name) => !named.includes(name)).sort());
  });

  it('every option', () => {
    expect(listed('Options')).toEqual([...Object.keys(readHandlerOptions({})), 'port', 'host'].sort());
  });
});
