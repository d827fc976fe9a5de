/** `--tool-format`: what it names, and what it is put around. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { registerGenerate } from '../../src/cli/generate/generate.ts';
import { registerInspect } from '../../src/cli/inspect.ts';
import { readModelSource } from '../../src/cli/model-source.ts';
import { registerVerify } from '../../src/cli/verify.ts';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import { sha256 } from '../../src/format/sha256.ts';
import { toolFormats, wrapTemplate } from '../../src/template/tool-format/wrap-template.ts';
import { runCommand } from './run-command.ts';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-tool-format-'));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));
const at = (name: string): string => path.join(root, name);

const plain = `{% for m in messages %}<|{{ m.role }}|>
{{ m.content }}<|end|>
{% endfor %}{% if add_generation_prompt %}<|assistant|>
{% endif %}`;
const forTools = plain.replace(
  '{% for',
  '{% if tools %}<|tools|>{{ tools | tojson }}<|end|>\n{% endif %}{% for',
);

beforeAll(() => {
  fs.writeFileSync(at('plain.jinja'), plain);
  const templates = [
    { name: 'default', template: plain },
    { name: 'tool_use', template: forTools },
  ];
  fs.writeFileSync(at('tokenizer_config.json'), JSON.stringify({ chat_template: templates }));
  fs.writeFileSync(at('mine.jinja'), toolFormats[1]?.source ?? '');
});

it('--tool-format names one of the package, or a file with one of your own', async () => {
  const named = await readModelSource(at('plain.jinja'), 'tagged');
  expect(named).toMatchObject({ name: 'plain-tagged', templateSource: wrapTemplate(plain, 'tagged') });
  const own = await readModelSource(at('plain.jinja'), at('mine.jinja'));
  expect(own).toMatchObject({ name: 'plain-mine', templateSource: named.templateSource });
  for (const wrong of ['json', at('none.jinja'), at('plain.jinja'), root]) {
    const refused = readModelSource(at('plain.jinja'), wrong);
    await expect(refused).rejects.toBeInstanceOf(UnsupportedOptionError);
    await expect(refused).rejects.toThrow(/--tool-format.*json-list/);
  }
});

it('the tool format is put around the template for chats without tools, as at run time', async () => {
  const { templateSource } = await readModelSource(at('tokenizer_config.json'), 'json-list');
  expect(templateSource).toBe(wrapTemplate(plain, 'json-list'));
  expect((await readModelSource(at('tokenizer_config.json'))).templateSource).toBe(forTools);
});

it('--tool-format generates a folder of its own, for the fingerprint of the whole', async () => {
  const args = [at('plain.jinja'), '--tool-format', 'json-list', '-o', at('generated')];
  expect((await runCommand(registerGenerate, 'generate', ...args)).text).toContain('tools JSON_NATIVE');
  const format = JSON.parse(fs.readFileSync(at('generated/plain-json-list/format.json'), 'utf8'));
  expect(format.templateSha256).toBe(sha256(wrapTemplate(plain, 'json-list')));
});

it('inspect shows the template with a tool format and without, and verify tests it', async () => {
  const inspected = await runCommand(
    registerInspect,
    'inspect',
    at('plain.jinja'),
    '--tool-format',
    'tagged',
  );
  expect(inspected.text).toMatch(/tool calls +TAG_WITH_TAGGED\n +by itself none/);
  const alone = await runCommand(registerInspect, 'inspect', at('plain.jinja'));
  expect(alone.text).toMatch(/tool calls +none; --tool-format json-list/);
  const verified = await runCommand(
    registerVerify,
    'verify',
    at('plain.jinja'),
    '--tool-format',
    'json-list',
  );
  expect(verified).toMatchObject({ exitCode: 0, text: expect.stringMatching(/43( +holds){7}/) });
});
