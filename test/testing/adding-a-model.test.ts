/** `docs/adding-a-model.md`, and what it leads to: the walk, taken again. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { registerGenerate } from '../../src/cli/generate/generate.ts';
import { registerInspect } from '../../src/cli/inspect.ts';
import { reportError } from '../../src/cli/report-error.ts';
import { registerVerify } from '../../src/cli/verify.ts';
import { responseCase } from '../../src/testing/index.ts';
import { runCommand } from '../cli/run-command.ts';
import { docPages } from '../support/doc-pages.ts';

const root = path.join(import.meta.dirname, '..', '..');
const page = docPages('adding-a-model', 'unreadable-templates');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-walk-'));
fs.cpSync(path.join(root, 'docs/lantern'), path.join(folder, 'docs/lantern'), { recursive: true });

afterAll(() => fs.rmSync(folder, { recursive: true }));

function blocks(label: string): readonly string[] {
  return Array.from(page.matchAll(new RegExp(`^\`\`\`${label}\n([\\s\\S]*?)\n\`\`\`$`, 'gm')), (match) =>
    String(match[1]),
  );
}

const tsx = ['--conditions=idiolect:source', '--import', import.meta.resolve('tsx')];

const commands = { generate: registerGenerate, inspect: registerInspect, verify: registerVerify };

/** What a command of the page prints, in a folder that holds the page's templates. */
async function run(command: string): Promise<string> {
  const [name = '', ...given] = command.replace('$ npm run -s idiolect -- ', '').split(' ');
  const before = process.cwd();
  process.chdir(folder);
  try {
    return (await runCommand((program) => commands[name as keyof typeof commands](program), name, ...given))
      .text;
  } catch (error) {
    return stripVTControlCharacters(reportError(error, false));
  } finally {
    process.chdir(before);
  }
}

describe('docs/adding-a-model.md', () => {
  it('shows the template as it is', () => {
    const file = fs.readFileSync(path.join(root, 'docs/lantern/lantern.jinja'), 'utf8');
    expect(blocks('jinja')).toEqual([file.trimEnd()]);
  });

  const walks = blocks('console').map((block): [string, readonly string[]] => {
    const [command = '', ...lines] = block.split('\n');
    return [command, lines.filter((line) => line !== '…' && line !== '')];
  });

  it('has commands', () => expect(walks.length).toBeGreaterThan(4));

  it.each(walks)('%s prints what the page shows', async (command, lines) => {
    const printed = (await run(command)).split('\n');
    const shown = printed.filter((line) => lines.includes(line));
    expect(shown.filter((line, index) => shown.indexOf(line) === index)).toEqual([...new Set(lines)]);
  });

  it('shows a case that passes', () => {
    const [code = ''] = blocks('ts').filter((each) => each.includes('.check()'));
    execFileSync(process.execPath, [...tsx, '--input-type=module', '--eval', code], { cwd: root });
  });

  it('corrects what cannot be read', () => {
    const source = fs.readFileSync(path.join(root, 'docs/lantern/lantern-hidden.jinja'), 'utf8');
    const { format } = analyzeTemplate(source);
    expect(format.reasoning).toBe(null);
    const fragments = /fragments: \[(.*)\],/.exec(page)?.[1]?.split(', ') ?? [];
    expect(fragments.length).toBeGreaterThan(0);
    for (const fragment of fragments) expect(source).toContain(fragment.slice(1, -1));
    const start = '<:muse:>';
    const reasoning = { start, end: '<:/muse:>', empty: '', preserved: 'never', basis: 'override' } as const;
    const corrected = { ...format, reasoning };
    const opened = { generationPrompt: format.turn.start + format.turn.prompt.unset };
    responseCase(corrected)
      .withOptions(opened)
      .reads('Hmm.<:/muse:>Yes.')
      .as({ reasoning: 'Hmm.', content: 'Yes.' })
      .check();
  });
});
