/**
 * What the grammar of a schema and the check of values say of the same value, where the schema's report does not own up
 * to a difference. Values are written from the grammar, changed at one place, or drawn from nothing.
 */
import type { SchemaIssue } from '../../src/format/errors.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { type Random, sampleGrammar } from '../support/sample-grammar.ts';
import { hasExponent, hasManyDigits, isValid } from './judge-values.ts';
import { compileStrict, spell } from './schema-tools.ts';

/** See the top of this file. */
export interface Judgement {
  readonly value: JsonValue;
  /** By the grammar. */
  readonly accepted: boolean;
  /** By the check. */
  readonly valid: boolean;
}

/** Of up to `count` values; `strangers` are those that are drawn from nothing. */
export function* judgements(
  schema: JsonSchema,
  strangers: readonly JsonValue[],
  random: Random,
  count: number,
): Generator<Judgement> {
  const compiled = compileStrict(schema);
  if ('refused' in compiled) return;
  const effects = new Set(compiled.issues.map(({ effect }) => effect));
  const start = createMatcher(compiled.grammar);
  for (let index = 0; index < count; index += 1) {
    const text = sampleGrammar(compiled.grammar, random, 6);
    const written = JSON.parse(text) as JsonValue;
    const stranger = pick(strangers, random) ?? null;
    const value = [written, changed(written, stranger, random), stranger][index % 3] ?? null;
    if (hasManyDigits(JSON.stringify(value)) || hasExponent(value)) continue;
    const valid = isValid(schema, value);
    if (valid === null) continue;
    const matcher = start.clone();
    const accepted = matcher.accept(spell(schema, value)) && matcher.complete;
    if (accepted === valid || !owns(effects, accepted)) yield { value, accepted, valid };
  }
}

/** Whether a report says that the grammar may be wrong so. */
function owns(effects: ReadonlySet<SchemaIssue['effect']>, accepted: boolean): boolean {
  const owned = accepted ? (['widened', 'noted', 'checked'] as const) : (['narrowed'] as const);
  return owned.some((effect) => effects.has(effect));
}

/** `value` with something else at one place: `stranger`, a neighbour, an item or a property more or less. */
function changed(value: JsonValue, stranger: JsonValue, random: Random): JsonValue {
  const here = random() < 0.3;
  if (Array.isArray(value)) {
    if (here) return [...value, pick(value, random) ?? stranger];
    const at = Math.floor(random() * value.length);
    if (random() < 0.3) return value.filter((_, index) => index !== at);
    return value.map((item, index) => (index === at ? changed(item, stranger, random) : item));
  }
  if (typeof value === 'object' && value !== null) {
    const at = pick(Object.keys(value), random);
    if (here || at === undefined) return { ...value, b: stranger };
    const entries = Object.entries(value as JsonObject).filter(([key]) => key !== at || random() < 0.7);
    return Object.fromEntries(
      entries.map(([key, inner]) => [key, key === at ? changed(inner, stranger, random) : inner]),
    );
  }
  if (here) return stranger;
  if (typeof value === 'number') return value + (random() < 0.5 ? 1 : -0.5);
  // By characters: no grammar writes half a surrogate pair.
  if (typeof value === 'string') return random() < 0.5 ? `${value}a` : [...value].slice(1).join('');
  return stranger;
}

function pick<T>(items: readonly T[], random: Random): T | undefined {
  return items[Math.floor(random() * items.length)];
}
