/** `docs/serve.md` and its parts against the code: every field and every option, and no other. */
import { describe, expect, it } from 'vitest';
import { fields as chat } from '../../src/serve/chat-completions/read-request.ts';
import { fields as completions } from '../../src/serve/completions/read-request.ts';
import { namesOf } from '../../src/serve/fields/known-fields.ts';
import { readHandlerOptions } from '../../src/serve/handler-options.ts';
import { fields as messages } from '../../src/serve/messages/read-request.ts';
import { ServerMetrics } from '../../src/serve/metrics.ts';
import * as ollama from '../../src/serve/ollama/read-request.ts';
import { operations } from '../../src/serve/openapi/operations.ts';
import { fields as responses } from '../../src/serve/responses/read-request.ts';
import { docPages } from '../support/doc-pages.ts';

const page = docPages('serve', 'serve-options', 'serve-openai', 'serve-anthropic-and-ollama', 'operating');

/** The names in the first cells of a section's table. */
function listed(section: string): readonly string[] {
  const text = page.split(`\n## ${section}\n`)[1]?.split('\n## ')[0] ?? '';
  const cells = Array.from(text.matchAll(/^\| (`[^|]*`) \|/gm), ([, cell = '']) => cell);
  return cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name)).sort();
}

/** What every request needs to say. */
const named = ['model'];

describe('the page lists', () => {
  it.each([
    ['/v1/chat/completions', chat],
    ['/v1/responses', responses],
    ['/v1/messages', messages],
    ['/v1/completions', completions],
  ] as const)('every field of %s', (address, fields) => {
    const known = namesOf(fields);
    expect(listed(`\`${address}\``)).toEqual(known.filter((name) => !named.includes(name)).sort());
  });

  it('every field of Ollama’s API', () => {
    const known = [...new Set([...namesOf(ollama.chatFields), ...namesOf(ollama.generateFields)])];
    expect(listed("Ollama's API")).toEqual(known.filter((name) => !named.includes(name)).sort());
  });

  it('every address', () => {
    const addresses = page.split('\n| address | what it is |\n')[1]?.split('\n\n')[0] ?? '';
    const paths = Array.from(addresses.matchAll(/[` ](\/[^` ]*)`/g), ([, found = '']) =>
      found.replace('<name>', '{name}'),
    );
    expect(new Set(paths)).toEqual(new Set(operations.map((operation) => operation.path)));
  });

  it('every metric', async () => {
    const text = await (await new ServerMetrics({ running: 0, queued: 0 }).response()).text();
    const names = Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name);
    expect(names.length).toBeGreaterThan(0);
    expect(listed('Metrics')).toEqual(names.sort());
  });

  it('every option', () => {
    expect(listed('Options')).toEqual([...Object.keys(readHandlerOptions({})), 'port', 'host', 'tls'].sort());
  });
});
