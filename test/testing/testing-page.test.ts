/** The examples of tests without a real model run, and hold what they assert. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { kinds, type ParameterKind } from '../../scripts/toy/kinds.ts';
import { connectEngine } from '../../src/runtime/engine/connect-engine.ts';
import { toyEngine } from '../../src/testing/index.ts';

const root = path.join(import.meta.dirname, '..', '..');
const page = fs.readFileSync(path.join(root, 'docs/testing.md'), 'utf8');
const blocks = Array.from(page.matchAll(/^```ts\n([\s\S]*?)\n```$/gm), ([, code = '']) => code);
/** The last one needs a model file. */
const runnable = blocks.filter((code) => !code.includes('loadModel'));
const program = [...runnable, 'export {};'].join('\n');
const folder = fs.mkdtempSync(path.join(root, 'test', 'testing', 'page-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

function run(name: string, source: string): Promise<unknown> {
  const file = path.join(folder, name);
  fs.writeFileSync(file, source);
  return import(file);
}

describe('the program of the page', () => {
  it('runs', async () => {
    expect(runnable).toHaveLength(5);
    await run('program.ts', program);
  });

  it.each([
    ["city: 'Bern' }", "city: 'Basel' }"],
    ["?.content, 'It is warm.'", "?.content, 'It is cold.'"],
    ["content, 'It is sunny.'", "content, 'It is sunny'"],
    ["?.name, 'get_weather'", "?.name, 'get_time'"],
    ['/21/', '/22/'],
  ])('would not with %s changed', async (right, wrong) => {
    expect(program).toContain(right);
    await expect(run(`${right.length}.ts`, program.replace(right, wrong))).rejects.toThrow();
  });
});

/** A parameter as the page names it. */
function named({ names: [name], schema: { type, enum: values } }: ParameterKind): string {
  if (Array.isArray(values)) return `${name} (${values.join(', ')})`;
  return type === 'string' ? String(name) : `${name}: ${type === 'integer' ? 'an' : 'a'} ${type}`;
}

it.each(kinds)('the page names what the toy knows of: $id', ({ tools: [tool], parameters }) => {
  expect(page).toContain(`| \`${tool}\` | ${parameters.map(named).join(', ')} |`);
});

/** Values that a question need not state. */
const unsaid = new Set(['celsius', 'fahrenheit']);

it('each question of the page becomes a call of its tool, with texts of the question', async () => {
  const model = await connectEngine(await toyEngine());
  for (const { tools, parameters } of kinds) {
    const [name = ''] = tools;
    const [, question = ''] = new RegExp(`^\\| \`${name}\` \\|.*\\| ([^|]+) \\|$`, 'm').exec(page) ?? [];
    const properties = Object.fromEntries(parameters.map((each) => [each.names[0], each.schema]));
    const required = Object.keys(properties);
    const schema = { type: 'object', properties, required, additionalProperties: false };
    const messages = [{ role: 'user', content: question }] as const;
    const [call] = await model.chat({ messages, tools: [{ name, parameters: schema }] }).calls;
    expect(call?.name, question).toBe(name);
    const said = Object.values(call?.arguments ?? {}).filter((value) => typeof value === 'string');
    expect(said.filter((text) => !unsaid.has(text) && !question.includes(text))).toEqual([]);
  }
  await model.dispose();
}, 60_000);
