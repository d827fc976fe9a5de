/** The parts that run in a browser import nothing that needs Node, however far one follows their imports. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');

/** Packages that are the same everywhere. */
const harmless = ['@eslint-community/regexpp', '@huggingface/jinja', 'eventsource-parser', 'ohm-js'];

/** What a module imports when it runs: types are gone by then. */
const imported = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;

/** All that is imported from outside, by the module that does it. */
function importsOutside(entry: string): readonly string[] {
  const modules = [entry];
  const outside = new Set<string>();
  for (const file of modules) {
    for (const [, name = ''] of fs.readFileSync(file, 'utf8').matchAll(imported)) {
      if (!name.startsWith('.')) {
        if (!harmless.includes(name)) outside.add(`${path.relative(root, file)} imports ${name}`);
        continue;
      }
      const target = path.join(path.dirname(file), name);
      if (!modules.includes(target)) modules.push(target);
    }
  }
  return [...outside];
}

describe('imports of what runs in a browser', () => {
  it.each([
    'index.ts',
    'parser/index.ts',
    'response-template/index.ts',
    'runtime/engine/index.ts',
    'servers/index.ts',
    'transformers/index.ts',
    'ai-sdk/index.ts',
    'mcp/index.ts',
    'testing/index.ts',
  ])('src/%s', (entry) => {
    expect(importsOutside(path.join(root, 'src', entry))).toEqual([]);
  });

  it('are found: what needs Node is not of this kind', () => {
    expect(importsOutside(path.join(root, 'src/hub/index.ts'))).not.toEqual([]);
  });
});
