import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TemplateError } from '../../src/format/errors.ts';
import { parseTemplate } from '../../src/template/template.ts';

interface JinjaFacts {
  readonly variables: Record<string, unknown>;
  /** By subject: a template, and its text or `null` for an error. */
  readonly facts: Record<string, readonly (readonly [template: string, text: string | null])[]>;
}

interface JsonFact {
  readonly value: unknown;
  readonly options: Record<string, unknown>;
  readonly text: string;
}

function readFacts(name: string) {
  return JSON.parse(fs.readFileSync(new URL(name, import.meta.url), 'utf8'));
}

const jinja: JinjaFacts = readFacts('jinja-facts.json');
const now = new Date(2026, 10, 21, 12, 0, 0);

function render(source: string): string {
  return parseTemplate(source).render(jinja.variables, { now });
}

for (const [subject, facts] of Object.entries(jinja.facts)) {
  describe(`Python's Jinja2: ${subject}`, () => {
    it.each(facts)('holds for %j', (source, text) => {
      if (text === null) expect(() => render(source)).toThrow(TemplateError);
      else expect(render(source)).toBe(text);
    });
  });
}

describe("Python's json.dumps", () => {
  const { facts }: { facts: readonly JsonFact[] } = readFacts('json-facts.json');
  it.each(facts)('writes $text with $options', ({ value, options, text }) => {
    const rendered = parseTemplate('{{ value|tojson(**options) }}').render({ value, options });
    expect(rendered).toBe(text);
  });
});

/** Hugging Face's sandbox lets no template change a list; engines without one do. */
describe("Python's lists", () => {
  it('are sorted backwards without turning equal elements round', () => {
    const first = '{% macro first(x) %}{{ x[0] }}{% endmacro %}';
    const sorted = '{% set _ = l.sort(key=first, reverse=true) %}{{ l | join(",") }}';
    expect(render(`${first}{% set l = ["ab", "aa", "b"] %}${sorted}`)).toBe('b,ab,aa');
  });
});
