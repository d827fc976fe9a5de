/** Renders both corpora in every scenario and compares with what Python's Jinja2 rendered. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Template } from '../../src/template/parsed-template.ts';
import { parseTemplate } from '../../src/template/template.ts';
import { allTemplates } from '../support/corpora.ts';

/** What one part of the conformance run found. */
export interface ConformanceResult {
  readonly name: string;
  readonly passed: number;
  readonly total: number;
  /** One line for each case that differs. */
  readonly failures: string[];
}

interface ExpectedRender {
  readonly template: string;
  readonly scenario: string;
  readonly sha256?: string;
  readonly error?: string;
}

/** The clock of the recorded renders. */
const now = new Date(2026, 10, 21, 12, 0, 0);

function readLines(file: string): ExpectedRender[] {
  const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line): ExpectedRender => JSON.parse(line));
}

/** Errors of the reference's sandbox alone, and of filters that only inference engines add. */
function isReferenceOnly(error: string): boolean {
  return error.startsWith('SecurityError') || error.includes("No filter named 'from_json'");
}

function compareRender(
  template: Template,
  variables: Record<string, unknown>,
  expected: ExpectedRender,
): string | null {
  let text: string;
  try {
    text = template.render(variables, { now });
  } catch (error) {
    return expected.error === undefined ? `error, expected text: ${error}` : null;
  }
  if (expected.error !== undefined)
    return isReferenceOnly(expected.error) ? null : `text, expected ${expected.error}`;
  const sha256 = createHash('sha256').update(text).digest('hex');
  return sha256 === expected.sha256 ? null : 'other text';
}

/** Runs the comparison on the data in `dataFolder/jinja`. */
export async function run(dataFolder: string): Promise<ConformanceResult> {
  const folder = path.join(dataFolder, 'jinja');
  const scenarios: Record<string, Record<string, unknown>> = JSON.parse(
    fs.readFileSync(path.join(folder, 'scenarios.json'), 'utf8'),
  );
  const templates = new Map(
    (await allTemplates()).map(({ id, source }) => [id, parseTemplate(source, { name: id })]),
  );
  const cases = readLines(path.join(folder, 'expected.jsonl'));
  const failures: string[] = [];
  for (const expected of cases) {
    const template = templates.get(expected.template);
    const difference =
      template === undefined
        ? 'unknown template'
        : compareRender(template, scenarios[expected.scenario] ?? {}, expected);
    if (difference !== null) failures.push(`${expected.template} ${expected.scenario}: ${difference}`);
  }
  return { name: 'jinja', passed: cases.length - failures.length, total: cases.length, failures };
}
