/** Texts of special tokens in a text: found whatever their characters, and cut between characters. */
import { describe, expect, it } from 'vitest';
import { SpecialFinder } from '../../src/language/matcher/special-finder.ts';

const finderOf = (...texts: readonly string[]): SpecialFinder =>
  new SpecialFinder(texts.map((text, id) => ({ id, text })));

describe('special texts', () => {
  it('that begin with a character beyond 16 bits are found, and not cut inside of it', () => {
    const finder = finderOf('🔧call', '<end>');
    const text = 'a🔧call<end>';
    expect([...finder.find(text)].map(({ start }) => start)).toEqual([1, 7]);
    const cuts = finder.cutsInside(text);
    expect(cuts).toEqual([3, 8]);
    const heads = cuts.map((cut) => text.slice(0, cut));
    expect(heads.map((head) => Buffer.from(head).toString())).toEqual(heads);
  });

  it('are found the longest first', () => {
    const found = [...finderOf('<a>', '<a><b>').find('<a><b><a>')].map(({ special }) => special.text);
    expect(found).toEqual(['<a><b>', '<a>']);
  });

  it('are found at every place at which one begins, with all their ends', () => {
    const finder = finderOf('<a>', '<a><b>', '><');
    expect([...finder.findEverywhere('x<a><b>')]).toEqual([
      { start: 1, ends: [4, 7] },
      { start: 3, ends: [5] },
    ]);
  });
});
