/** `idiolect generate`: tools, response templates, the drift check, and what it refuses to overwrite. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { registerGenerate } from '../../src/cli/generate/generate.ts';
import { readGbnf } from '../../src/language/gbnf/read-gbnf.ts';
import { llamaTemplate } from '../support/corpora.ts';
import { runCommand } from './run-command.ts';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-generate-'));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

const at = (...parts: string[]): string => path.join(root, ...parts);
const generate = (...args: string[]) => runCommand(registerGenerate, 'generate', ...args);

/** Every file under a folder with its content. */
function contents(folder: string): Map<string, string> {
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => fs.statSync(path.join(folder, name)).isFile());
  return new Map(files.map((name) => [name, fs.readFileSync(path.join(folder, name), 'utf8')]));
}

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

beforeAll(async () => {
  fs.writeFileSync(at('model.jinja'), (await llamaTemplate('Qwen-Qwen3-0.6B')).source);
  fs.writeFileSync(
    at('plain.jinja'),
    '{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}',
  );
  fs.writeFileSync(at('tools.json'), JSON.stringify([{ name: 'get_weather', inputSchema: schema }]));
  const pattern = { type: 'object', properties: { a: { type: 'string', pattern: '(.+) \\1' } } };
  fs.writeFileSync(at('hard.json'), JSON.stringify([{ name: 'hard', inputSchema: pattern }]));
});

describe('--tools', () => {
  test('types and both grammars next to the module; made again alike, and checked', async () => {
    const args = [at('model.jinja'), '--tools', at('tools.json'), '-o', at('tools')];
    const { text } = await generate(...args);
    expect(text).toMatch(/✓ .*model .*JSON_NATIVE/);
    const files = contents(at('tools', 'model'));
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        'format.json',
        'tools.ts',
        'tools.compiled.ts',
        'tools.auto.gbnf',
        'tools.required.gbnf',
      ]),
    );
    expect(files.get('tools.ts')).toContain('get_weather: GetWeatherArguments;');
    for (const name of ['tools.auto.gbnf', 'tools.required.gbnf']) {
      const grammar = readGbnf(files.get(name) ?? '');
      expect(grammar.rules.length, name).toBeGreaterThan(1);
    }
    expect(files.get('tools.auto.gbnf')).toContain('# Lazy: begins at word "<tool_call>"');
    expect((await generate(...args, '--check')).exitCode).toBe(0);
    fs.appendFileSync(at('tools', 'model', 'tools.ts'), '// by hand\n');
    fs.appendFileSync(at('tools', 'model', 'tools.compiled.ts'), '// by hand\n');
    fs.rmSync(at('tools', 'model', 'tools.auto.gbnf'));
    const checked = await generate(...args, '--check', '--json');
    expect(checked.exitCode).toBe(1);
    expect(JSON.parse(checked.text).differences).toEqual([
      expect.stringContaining('tools.compiled.ts differs'),
      expect.stringContaining('tools.auto.gbnf is missing'),
      expect.stringContaining('tools.ts differs'),
    ]);
  });

  test('what cannot be enforced is refused with its place, and nothing is written; --degrade tells it', async () => {
    const args = [at('model.jinja'), '--tools', at('hard.json'), '-o', at('hard')];
    await expect(generate(...args)).rejects.toMatchObject({
      code: 'schema',
      message: expect.stringMatching(/hard\.json.*"hard".*\/properties\/a/),
    });
    expect(fs.existsSync(at('hard'))).toBe(false);
    const { text, exitCode } = await generate(...args, '--degrade');
    expect(exitCode).toBe(0);
    expect(text).toMatch(/"hard", \/properties\/a, pattern: widened/);
    expect(contents(at('hard', 'model')).get('tools.required.gbnf')).toMatch(
      /# Not exact \(widened\).*pattern/,
    );
  });

  test('a model without calls', async () => {
    const asking = generate(at('plain.jinja'), '--tools', at('tools.json'), '-o', at('none'));
    await expect(asking).rejects.toMatchObject({
      code: 'unsupported-option',
      message: expect.stringContaining('plain.jinja'),
    });
  });
});

test('--import-extension: every import of a file that was written names it as it is', async () => {
  const out = at('as-they-are');
  const args = [at('model.jinja'), '--tools', at('tools.json'), '-o', out, '--import-extension', 'ts'];
  await generate(...args);
  const sources = [...contents(out)].filter(([name]) => name.endsWith('.ts'));
  const imported = sources.flatMap(([name, source]) =>
    [...source.matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, target = '']) =>
      path.join(out, path.dirname(name), target),
    ),
  );
  expect(imported.map((file) => path.relative(out, file)).sort()).toEqual([
    'model/format.json',
    'model/index.ts',
    'model/parser.ts',
    'model/tools.compiled.ts',
  ]);
  for (const file of imported) expect(fs.existsSync(file)).toBe(true);
  expect((await generate(...args, '--check')).exitCode).toBe(0);
});

describe('response templates', () => {
  test('what is wrong with one is told with its file', async () => {
    const file = at('wrong.json');
    fs.writeFileSync(file, JSON.stringify({ start_anchor: '@', fields: { content: { opn: '<' } } }));
    await expect(generate(file, '-o', at('wrong'))).rejects.toMatchObject({
      code: 'response-template',
      pointer: '/fields/content/opn',
      message: expect.stringContaining(file),
    });
  });

  test('there and back: written from a chat template, and compiled into a module', async () => {
    await generate(at('model.jinja'), '--response-template', '-o', at('there'));
    const file = at('there', 'model', 'response-template.json');
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject({
      fields: { tool_calls: {}, content: {} },
    });
    await generate(file, '-o', at('there'), '-n', 'back');
    const files = contents(at('there', 'back'));
    expect([...files.keys()]).toEqual(['index.ts', 'response-template.json']);
    expect(files.get('index.ts')).toContain("from 'idiolect/response-template'");
    expect(contents(at('there')).get('index.ts')).not.toContain('back');
    fs.writeFileSync(
      at('tokenizer_config.json'),
      JSON.stringify({ response_template: JSON.parse(fs.readFileSync(file, 'utf8')) }),
    );
    await generate(at('tokenizer_config.json'), '-o', at('there'), '-n', 'config');
    expect(contents(at('there', 'config'))).toEqual(files);
  });

  test('one that is not valid, and one where a chat template is needed', async () => {
    fs.writeFileSync(at('bad.json'), JSON.stringify({ fields: { content: { open: 1 } } }));
    await expect(generate(at('bad.json'), '-o', at('bad'))).rejects.toMatchObject({
      code: 'response-template',
    });
    fs.writeFileSync(at('ok.json'), JSON.stringify({ start_anchor: 'x', fields: { content: {} } }));
    const asking = generate(at('ok.json'), '--tools', at('tools.json'), '-o', at('bad'));
    await expect(asking).rejects.toMatchObject({ code: 'unsupported-option' });
    expect(fs.existsSync(at('bad'))).toBe(false);
  });

  test('a tokenizer_config.json with a chat template is a chat template', async () => {
    const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
    fs.writeFileSync(
      at('tokenizer_config.json'),
      JSON.stringify({ chat_template: source, eos_token: { content: '</s>' } }),
    );
    const { text } = await generate(at('tokenizer_config.json'), '-o', at('config'), '--json');
    expect(JSON.parse(text)).toMatchObject([
      { type: 'generated_model', labels: { toolFormat: 'JSON_NATIVE' } },
    ]);
  });
});

describe('what was not generated stays', () => {
  test.each([
    ['a folder with other files', 'mine/model/notes.txt'],
    ['a file in the place of the folder', 'mine2/model'],
    ['an index of somebody else', 'mine3/index.ts'],
  ])('%s', async (_name, file) => {
    fs.mkdirSync(path.dirname(at(file)), { recursive: true });
    fs.writeFileSync(at(file), 'precious');
    const out = at(file.split('/')[0] ?? '');
    const before = contents(out);
    await expect(generate(at('model.jinja'), '-o', out)).rejects.toMatchObject({
      code: 'unsupported-option',
    });
    expect(contents(out)).toEqual(before);
  });

  test.each([['../up'], ['a/b'], ['..'], ['']])('a name that is no folder: %j', async (name) => {
    await expect(generate(at('model.jinja'), '-o', at('x'), '-n', name)).rejects.toMatchObject({
      code: 'unsupported-option',
    });
  });

  test('a file above the folder', async () => {
    fs.writeFileSync(at('file'), 'precious');
    await expect(generate(at('model.jinja'), '-o', at('file', 'a', 'b'))).rejects.toMatchObject({
      code: 'unsupported-option',
      option: '--out',
      reason: `${at('file')} is a file`,
    });
    expect(fs.readFileSync(at('file'), 'utf8')).toBe('precious');
  });

  // There, Node's recursive mkdir never comes back.
  test.runIf(process.platform === 'linux')('a file system that takes no folders', async () => {
    await expect(generate(at('model.jinja'), '-o', '/proc/a/b')).rejects.toMatchObject({
      code: 'unsupported-option',
      option: '--out',
    });
  });

  test('folders above are made', async () => {
    await generate(at('model.jinja'), '-o', at('deep', 'a', 'b'));
    expect(fs.existsSync(at('deep', 'a', 'b', 'model', 'parser.ts'))).toBe(true);
  });

  test('a file where the folder would be', async () => {
    fs.writeFileSync(at('package.json'), '{}');
    await expect(generate(at('model.jinja'), '-o', at('package.json'))).rejects.toMatchObject({
      code: 'unsupported-option',
      option: '--out',
    });
    expect(fs.readFileSync(at('package.json'), 'utf8')).toBe('{}');
  });

  test('two files of one name', async () => {
    fs.mkdirSync(at('other'), { recursive: true });
    fs.copyFileSync(at('model.jinja'), at('other', 'model.jinja'));
    await expect(generate(at('model.jinja'), at('other', 'model.jinja'), '-o', at('x'))).rejects.toThrow(
      /both become model/,
    );
    expect(fs.existsSync(at('x'))).toBe(false);
  });
});
