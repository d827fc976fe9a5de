/** Structural tags of tools whose parts have all others within them, so that nodes would repeat too much. */
import { expect, test } from 'vitest';
import { buildStructuralTag } from '../../src/grammar/structural-tag/build-structural-tag.ts';
import { tagged } from '../support/sample-formats.ts';
import { wideSchemas } from '../support/wide-schemas.ts';

const cases = ['names of keys', 'optional properties', 'alternative keys'].flatMap((name) =>
  (['auto', 'required'] as const).map((toolChoice) => [name, toolChoice] as const),
);

test.each(cases)('become grammars where they are many: %s, %s', (name, toolChoice) => {
  const tagOf = (size: number) => {
    const parameters = wideSchemas[name]?.(size) ?? {};
    return buildStructuralTag(tagged, { tools: [{ name: 'f', parameters }], toolChoice, policy: 'degrade' });
  };
  const before = process.cpuUsage();
  const { tag, report } = tagOf(400);
  const { user, system } = process.cpuUsage(before);
  expect(report.filter(({ effect }) => effect === 'widened' || effect === 'checked')).toEqual([]);
  expect(JSON.stringify(tag)).toContain('"grammar"');
  // What is not bounded takes 200 MB of text, or the stack.
  expect((user + system) / 1e6).toBeLessThan(15);
});
