/** Runs the case files of this folder: every case at every cut, interpreted and in generated code. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { Tool } from '../../src/format/messages.ts';
import type { ResponseModule } from '../../src/parser/module-contract.ts';
import { type ResponseCase, responseCase } from '../../src/testing/index.ts';
import { llamaTemplate } from '../support/corpora.ts';
import { generatedModule } from '../support/generated-module.ts';
import { type FileCase, readCaseFile } from './read-case-file.ts';

const folder = import.meta.dirname;
const tools: readonly Tool[] = JSON.parse(fs.readFileSync(path.join(folder, 'tools.json'), 'utf8'));

const files = fs.readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');

async function templateSource(name: string): Promise<string> {
  const bundled = /^llama\/(.+)\.jinja$/.exec(name)?.[1];
  if (bundled === undefined) return fs.readFileSync(path.join(folder, name), 'utf8');
  return (await llamaTemplate(bundled)).source;
}

function offered({ tools: choice }: FileCase): readonly Tool[] | null {
  if (choice === 'unknown') return null;
  return choice === 'none' ? [] : tools;
}

const fixed = 'this works now: take "known defect" away';

function caseOf(reader: ChatFormat | ResponseModule, given: FileCase): ResponseCase {
  const offer = offered(given);
  const base = responseCase(reader).withOptions(given.options).reads(given.response);
  return offer === null ? base : base.withTools(offer);
}

function expectEvents(run: ResponseCase | undefined, events: readonly string[]): void {
  if (run === undefined) throw new Error('no run');
  run.check();
  expect(run.log()).toEqual(events);
}

for (const file of files) {
  const place = path.join('test', 'cases', file);
  const { template, cases } = readCaseFile(fs.readFileSync(path.join(folder, file), 'utf8'), place);
  const source = await templateSource(template);
  const { format } = analyzeTemplate(source, { name: template, bosToken: '<s>', eosToken: '</s>' });

  const generated = generatedModule(format);

  describe(file, () => {
    it.each(cases.map((each) => [`${place}:${each.line}`, each.title, each] as const))(
      '%s %s',
      (_place, _title, given) => {
        const runs = [format, generated].map((each) => caseOf(each, given));
        if (given.knownDefect === null) for (const run of runs) expectEvents(run, given.events);
        else expect(() => expectEvents(runs[0], given.events), fixed).toThrow();
      },
    );
  });
}

it('the folder has case files', () => {
  expect(files.length).toBeGreaterThan(10);
});
