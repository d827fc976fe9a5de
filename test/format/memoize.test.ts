import { describe, expect, it } from 'vitest';
import { isObject, parseJson, parseObject, snakeCase } from '../../src/format/json-values.ts';
import { memoize } from '../../src/format/memoize.ts';

describe('memoize', () => {
  it('computes once for each object, also where the result is null or false', () => {
    const computed: object[] = [];
    const results = [null, false, 1];
    const cached = memoize((key: object) => {
      computed.push(key);
      return results[computed.length - 1] ?? null;
    });
    const keys = [{}, {}, {}];
    const first = keys.map(cached);
    expect(first).toEqual(results);
    expect(keys.map(cached)).toEqual(first);
    expect(computed).toEqual(keys);
  });

  it('computes again after an error', () => {
    let calls = 0;
    const cached = memoize((_key: object) => {
      calls++;
      if (calls === 1) throw new Error('not yet');
      return calls;
    });
    const key = {};
    expect(() => cached(key)).toThrow('not yet');
    expect([cached(key), cached(key)]).toEqual([2, 2]);
  });
});

describe('JSON values', () => {
  it('of any text are its value, or undefined where it is not JSON', () => {
    for (const value of [null, true, 0, 'a', [1], { a: null }]) {
      const text = JSON.stringify(value);
      expect(parseJson(text)).toEqual(value);
      expect(parseObject(text)).toEqual(isObject(value) ? value : null);
      if (text.length > 1) expect(parseJson(`${text}}`)).toBeUndefined();
    }
    expect(parseObject('{')).toBeNull();
  });

  it('have names in snake case', () => {
    expect(snakeCase({ supportsToolCalls: true, a: 1 })).toEqual({ supports_tool_calls: true, a: 1 });
  });
});
