/** Where a call is demanded, a message that ends before it is followed by another one, and by nothing else. */
import { expect, it } from 'vitest';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { coresOf } from '../../src/layout/marker.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawTools } from '../support/law-tools.ts';
import { channels } from '../support/sample-formats.ts';

const formats = [...generatedFormats(), { name: 'channels', format: channels }];

/** Thoughts and preambles whose close begins with an end of the turn: the opener, the end, and what is left of the close. */
const regions = formats.flatMap(({ name, format }) => {
  const { reasoning, content, ends, calls } = turnLayout(format);
  if (calls === null) return [];
  const others = [reasoning, content.wrappers[1] ?? null].filter((region) => region !== null);
  return others.flatMap(({ open, close }) => {
    const end = coresOf(ends).find((each) => each !== close.core && close.core.startsWith(each));
    if (end === undefined) return [];
    return [{ name, format, open: open.core, end, rest: close.core.slice(end.length) }];
  });
});

it('there are such regions', () => {
  expect(regions.length).toBeGreaterThan(1);
});

it.each(regions)('$name: after $open and an end comes $rest', ({ format, open, end, rest }) => {
  const { expression } = buildGrammar(format, { tools: lawTools, toolChoice: 'required' });
  if (expression === null) throw new Error('a required call has a grammar');
  const after = (text: string) => createMatcher(expression).accept(`${open}Thus.${end}${text}`);
  expect(after(rest)).toBe(true);
  for (const other of ['x', ' ', end, open]) expect(after(other)).toBe(rest.startsWith(other));
});
