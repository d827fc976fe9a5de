/** What holds for the analysis of every template of both corpora. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Analysis } from '../../src/analysis/analysis.ts';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { overrides } from '../../src/analysis/overrides/format-override.ts';
import { AnalysisError } from '../../src/format/errors.ts';
import { allTemplates, type CorpusTemplate } from '../support/corpora.ts';
import { sampled } from '../support/sample.ts';
import { callsFromOverrides, notChats, unfaithfulHistories } from './template-lists.ts';

const tokens = { bosToken: '[bos]', eosToken: '[eos]' };
const analyses = new Map<string, Analysis>();
let templates: readonly CorpusTemplate[] = [];

beforeAll(async () => {
  templates = await allTemplates();
  for (const { id, name, source } of templates) {
    if (!notChats.includes(id)) analyses.set(id, analyzeTemplate(source, { name, ...tokens }));
  }
});

/** Ids of the analyses for which `holds` is false. */
function exceptions(holds: (analysis: Analysis) => boolean): readonly string[] {
  return [...analyses].filter(([, analysis]) => !holds(analysis)).map(([id]) => id);
}

/** Paths of all strings, numbers, booleans and nulls in plain data. */
function leafPaths(value: unknown, path: string): readonly string[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [path];
  return Object.entries(value).flatMap(([key, item]) =>
    leafPaths(item, path === '' ? key : `${path}.${key}`),
  );
}

function isFrozen(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}

/** Markers with their letters reversed; names of roles stay, since templates put them into markers. */
function reverseMarkers(source: string): string {
  const reversed = (word: string) => Array.from(word).reverse().join('');
  const roles = new Set(['assistant', 'user', 'system', 'tool']);
  const turned = (word: string) => (roles.has(word) ? word : reversed(word));
  return source
    .replace(/(<[|｜/]*)([A-Za-z_▁]+)/g, (_, open: string, word: string) => open + turned(word))
    .replace(
      /(\[\/?)([A-Z_]{3,})(\])/g,
      (_, open: string, word: string, close: string) => open + reversed(word) + close,
    );
}

/** Data with every letter replaced: equal for formats that differ only in the words of their markers. */
function wordless(value: unknown): string {
  return JSON.stringify(value, (key, item) => {
    if (key === 'templateSha256') return '';
    return typeof item === 'string' ? item.replace(/[A-Za-z_▁]/g, 'x') : item;
  });
}

describe('every template', () => {
  test('is analysed, or recognised as no chat', () => {
    expect(templates.length).toBe(167);
    for (const { id, source } of templates.filter(({ id }) => notChats.includes(id))) {
      expect(() => analyzeTemplate(source), id).toThrow(AnalysisError);
    }
    expect(analyses.size).toBe(templates.length - notChats.length);
  });

  test('is written back byte for byte, in every probe that it renders', () => {
    expect(exceptions(({ selfCheck }) => selfCheck.compared === selfCheck.exact)).toEqual(
      unfaithfulHistories,
    );
    expect(exceptions(({ selfCheck }) => selfCheck.compared > 0)).toEqual([]);
  });

  test('that renders calls has had more than ten probes of calls compared', () => {
    const isRendered = ({ format: { calls } }: Analysis) => calls !== null && calls.basis !== 'prompt';
    const withCalls = exceptions((each) => !isRendered(each)).filter(
      (id) => !callsFromOverrides.includes(id),
    );
    expect(withCalls.length).toBe(90);
    const unchecked = exceptions(({ selfCheck }) => selfCheck.compared > 10).filter((id) =>
      withCalls.includes(id),
    );
    expect(unchecked).toEqual([]);
  });

  test('gives plain, frozen data', () => {
    expect(exceptions(({ format }) => isFrozen(format))).toEqual([]);
    for (const [id, { format }] of analyses) expect(JSON.parse(JSON.stringify(format)), id).toEqual(format);
  });

  test('has evidence for every field', () => {
    const missing = [...analyses].flatMap(([id, { format, evidence }]) => {
      const { version: _version, templateSha256: _sha256, ...fields } = format;
      const known = evidence.map((entry) => entry.field);
      const supported = (path: string) =>
        known.some((field) => path === field || path.startsWith(`${field}.`));
      return leafPaths(fields, '')
        .filter((path) => !supported(path))
        .map((path) => `${id} ${path}`);
    });
    expect(missing).toEqual([]);
  });

  test('warns of every guess', () => {
    const guesses = exceptions(({ format }) => format.reasoning?.basis !== 'assumed');
    const warned = exceptions(
      ({ warnings }) => !warnings.some((each) => each.kind === 'assumed' && each.field === 'reasoning.end'),
    );
    expect(guesses).toEqual(warned);
    const turn = '<a>{{ m.content }}</a>{% endfor %}{% if add_generation_prompt %}<a><think>{% endif %}';
    const guessed = analyzeTemplate(
      `{% for m in messages %}{% if m.role == 'user' %}<u>{{ m.content }}</u>{% else %}${turn.replace('{% endfor %}', '{% endif %}{% endfor %}')}`,
    );
    expect(guessed.format.reasoning?.basis).toBe('assumed');
    expect(guessed.warnings.map(({ field }) => field)).toContain('reasoning.end');
  });

  test('keeps no sentinel', () => {
    expect(exceptions((analysis) => !/qzx[a-z0-9]{4}zq/.test(JSON.stringify(analysis.format)))).toEqual([]);
  });

  test('with the letters of its markers reversed has the same format', () => {
    const different = sampled(templates, 6)
      .filter(({ id }) => !notChats.includes(id))
      .filter(({ id, source }) => {
        const [reversed, given] = [analyzeTemplate(reverseMarkers(source), tokens), analyses.get(id)];
        const asserted = given?.evidence.filter(({ probe }) => probe === 'override') ?? [];
        const inferred = (each: Analysis | undefined) =>
          wordless(asserted.length === 0 ? each?.format : [each?.format.turn, each?.format.content.open]);
        return inferred(reversed) !== inferred(given);
      });
    expect(different.map(({ id }) => id)).toEqual([]);
  });
});

describe('overrides', () => {
  test('are at most three, say why, and know few templates of the corpora', () => {
    expect(overrides.length).toBeLessThanOrEqual(3);
    for (const { reason, fragments } of overrides) {
      expect(reason.length).toBeGreaterThan(60);
      const family = templates.filter(({ source }) => fragments.every((each) => source.includes(each)));
      expect(family.length).toBeGreaterThan(0);
      expect(family.length).toBeLessThan(8);
    }
  });

  test('fill what is missing, and change nothing else', () => {
    for (const [id, { evidence, format }] of analyses) {
      for (const { field } of evidence.filter(({ probe }) => probe === 'override')) {
        const kept = evidence.filter((each) => each.field.startsWith(`${field}.`));
        expect([id, field, kept]).toEqual([id, field, []]);
        expect(Object.keys(format)).toContain(field);
      }
    }
  });

  test('are evidence of their own', () => {
    for (const id of callsFromOverrides) {
      const fields = analyses.get(id)?.evidence.filter((entry) => entry.probe === 'override');
      expect(fields?.map((entry) => entry.field)).toContain('calls');
    }
  });
});
