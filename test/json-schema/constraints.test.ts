/** Laws of constraints: they are sets of values, met, negated and compared as sets are, each made once. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SchemaNode } from '../../src/json-schema/document/schema-document.ts';
import { type Constraint, Constraints } from '../../src/json-schema/shapes/constraints.ts';

const numRuns = process.env.LAWS === 'long' ? 20_000 : 300;

/** Values, the last of which no list names. */
const values = [0, 1, 2, 'a', 'b', null];
const schemas: readonly SchemaNode['schema'][] = [
  { enum: [0, 1] },
  { enum: [1, 2] },
  { const: 2 },
  { enum: ['a', 0] },
  { type: 'string' },
  { type: 'string' },
  { type: 'null' },
  { type: 'integer', minimum: 1 },
  true,
  false,
  {},
];
const holdsFor: readonly ((value: unknown) => boolean)[] = [
  (value) => value === 0 || value === 1,
  (value) => value === 1 || value === 2,
  (value) => value === 2,
  (value) => value === 'a' || value === 0,
  (value) => typeof value === 'string',
  (value) => typeof value === 'string',
  (value) => value === null,
  (value) => typeof value === 'number' && value >= 1,
  () => true,
  () => false,
  () => true,
];
const nodes = schemas.map((schema, id) => ({ id, schema }) as unknown as SchemaNode);

interface Given {
  readonly constraint: Constraint;
  /** The values that it allows. */
  readonly allowed: readonly unknown[];
}

/** The values that a constraint itself allows. */
function allowedBy(all: Constraints, constraint: Constraint): readonly unknown[] {
  if (constraint === all.nothing) return [];
  const isMet = (value: unknown) =>
    constraint.nodes.every(({ node, holds }) => holdsFor[nodes.indexOf(node)]?.(value) === holds);
  return values.filter(isMet);
}

const signed = fc.tuple(fc.nat(nodes.length - 1), fc.boolean());
const conjunction = fc.array(signed, { maxLength: 4 });

function make(all: Constraints, parts: readonly (readonly [number, boolean])[]): Given {
  const each = parts.map(([at, holds]) => all.of(nodes[at] as SchemaNode, holds));
  const isMet = (value: unknown) => parts.every(([at, holds]) => holdsFor[at]?.(value) === holds);
  return {
    constraint: each.reduce((one, other) => all.and(one, other), all.anything),
    allowed: values.filter(isMet),
  };
}

describe('constraints', () => {
  it('are met as sets are, and each is made once, in whatever order', () => {
    fc.assert(
      fc.property(conjunction, conjunction, (one, other) => {
        const all = new Constraints();
        const [a, b] = [make(all, one), make(all, other)];
        for (const { constraint, allowed } of [a, b]) expect(allowedBy(all, constraint)).toEqual(allowed);
        const both = all.and(a.constraint, b.constraint);
        expect(allowedBy(all, both)).toEqual(a.allowed.filter((value) => b.allowed.includes(value)));
        expect(all.and(b.constraint, a.constraint)).toBe(both);
        expect(make(all, [...other, ...one].reverse()).constraint).toBe(both);
        expect(all.and(both, both)).toBe(both);
        for (const { constraint } of [a, b]) {
          expect(all.and(constraint, both)).toBe(both);
          expect(all.and(constraint, all.anything)).toBe(constraint);
          expect(all.and(all.anything, constraint)).toBe(constraint);
          expect(all.and(constraint, all.nothing)).toBe(all.nothing);
          expect(all.and(all.nothing, constraint)).toBe(all.nothing);
        }
        expect(new Set([...both.nodes].map(({ node }) => node.id)).size).toBe(both.nodes.length);
      }),
      { numRuns },
    );
  });

  it('that obviously exclude or imply each other do, and what is obvious is seen', () => {
    fc.assert(
      fc.property(conjunction, conjunction, (one, other) => {
        const all = new Constraints();
        const [a, b] = [make(all, one), make(all, other)];
        const both = all.and(a.constraint, b.constraint);
        if (all.exclude(a.constraint, b.constraint)) expect(allowedBy(all, both)).toEqual([]);
        expect(all.exclude(a.constraint, b.constraint)).toBe(all.exclude(b.constraint, a.constraint));
        if (both === all.nothing) expect(all.exclude(a.constraint, b.constraint)).toBe(true);
        if (all.implies(a.constraint, b.constraint))
          expect(a.allowed.filter((value) => !b.allowed.includes(value))).toEqual([]);
        expect(all.implies(both, a.constraint)).toBe(true);
        expect(all.implies(a.constraint, all.anything)).toBe(true);
        expect(all.implies(all.nothing, a.constraint)).toBe(true);
        expect(all.implies(a.constraint, all.nothing)).toBe(a.constraint === all.nothing);
        expect(all.exclude(a.constraint, all.nothing)).toBe(true);
        expect(all.exclude(all.nothing, a.constraint)).toBe(true);
        expect(all.exclude(a.constraint, all.anything)).toBe(a.constraint === all.nothing);
      }),
      { numRuns },
    );
  });

  it('have a negation if they are one schema, or its own', () => {
    fc.assert(
      fc.property(conjunction, (parts) => {
        const all = new Constraints();
        const { constraint } = make(all, parts);
        const negation = all.not(constraint);
        if (negation === null) {
          expect(constraint.nodes.length).toBeGreaterThan(1);
          return;
        }
        expect(allowedBy(all, negation)).toEqual(
          values.filter((value) => !allowedBy(all, constraint).includes(value)),
        );
        expect(all.not(negation)).toBe(constraint);
        expect(all.and(constraint, negation)).toBe(all.nothing);
        expect(all.exclude(constraint, negation)).toBe(true);
      }),
      { numRuns },
    );
  });

  it('of lists exclude each other where nothing is in both, and imply those that hold all of theirs', () => {
    const all = new Constraints();
    const of = (at: number) => all.of(nodes[at] as SchemaNode);
    const lists = [0, 1, 2, 3];
    for (const one of lists)
      for (const other of lists) {
        const allowed = (at: number) => values.filter((value) => holdsFor[at]?.(value));
        const common = allowed(one).filter((value) => allowed(other).includes(value));
        expect(all.exclude(of(one), of(other)), `${one} and ${other}`).toBe(common.length === 0);
        expect(all.implies(of(one), of(other)), `${one} in ${other}`).toBe(
          common.length === allowed(one).length,
        );
      }
    expect(of(4)).toBe(of(5));
  });

  it('of one schema or its negation never exclude or imply what they do not', () => {
    const all = new Constraints();
    const each = nodes.flatMap((_, at) => [true, false].map((holds) => make(all, [[at, holds]])));
    for (const a of each)
      for (const b of each) {
        const common = a.allowed.filter((value) => b.allowed.includes(value));
        if (all.exclude(a.constraint, b.constraint)) expect(common).toEqual([]);
        if (all.implies(a.constraint, b.constraint)) expect(common).toEqual(a.allowed);
      }
  });

  it('of a reference, next to which a list may not count, exclude and imply no list', () => {
    const all = new Constraints();
    const reference = { id: nodes.length, schema: { $ref: '#/x', enum: [0] } } as unknown as SchemaNode;
    for (const node of nodes.slice(0, 4)) {
      expect(all.exclude(all.of(reference), all.of(node))).toBe(false);
      expect(all.implies(all.of(reference), all.of(node))).toBe(false);
      expect(all.implies(all.of(node), all.of(reference))).toBe(false);
    }
  });
});
