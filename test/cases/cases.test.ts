/** Runs the case files of this folder: every case at every cut. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { Tool } from '../../src/messages.ts';
import { type ResponseCase, responseCase } from '../../src/testing/index.ts';
import { llamaTemplate } from '../support/corpora.ts';
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

function expectEvents(run: ResponseCase, events: readonly string[]): void {
  run.check();
  expect(run.log()).toEqual(events);
}

for (const file of files) {
  const place = path.join('test', 'cases', file);
  const { template, cases } = readCaseFile(fs.readFileSync(path.join(folder, file), 'utf8'), place);
  const source = await templateSource(template);
  const { format } = analyzeTemplate(source, { name: template, bosToken: '<s>', eosToken: '</s>' });

  describe(file, () => {
    it.each(cases.map((each) => [`${place}:${each.line}`, each.title, each] as const))(
      '%s %s',
      (_place, _title, each) => {
        const offer = offered(each);
        const base = responseCase(format).withOptions(each.options).reads(each.response);
        const run = offer === null ? base : base.withTools(offer);
        if (each.knownDefect === null) expectEvents(run, each.events);
        else
          expect(() => expectEvents(run, each.events), 'this works now: take "known defect" away').toThrow();
      },
    );
  });
}

it('finds cases', () => {
  expect(files.length).toBeGreaterThan(10);
});
