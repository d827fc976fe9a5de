/** Whose result a message of Ollama's API is: by its id, else of the first open call of its name, else of the first. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Notes } from '../../src/serve/content/notes.ts';
import { readOllamaMessages } from '../../src/serve/ollama/read-messages.ts';

interface Given {
  readonly id?: string;
  readonly name: string;
}

const calling = (calls: readonly Given[]) => ({
  role: 'assistant',
  content: '',
  tool_calls: calls.map(({ id, name }) => ({ ...(id === undefined ? {} : { id }), function: { name } })),
});
const result = ({ id, name }: Given) => ({ role: 'tool', content: '1', tool_name: name, tool_call_id: id });

/** The ids of the calls, and those that the results have. */
function idsOf(calls: readonly Given[], results: readonly Given[]) {
  const read = readOllamaMessages([calling(calls), ...results.map(result)], new Notes([]));
  const called = read.flatMap((each) => ('tool_calls' in each ? (each.tool_calls ?? []) : []));
  const answered = read.flatMap((each) => (each.role === 'tool' ? [each.tool_call_id] : []));
  return { called: called.map(({ id }) => id), answered };
}

const names = ['a', 'b', 'c'];
const given = fc.record(
  { id: fc.constantFrom('x', 'y', 'z'), name: fc.constantFrom(...names) },
  { requiredKeys: ['name'] },
);

it('a result belongs to the first open call of its id, else of its name, else to the first open one', () => {
  const property = fc.property(fc.array(given), fc.array(given), (calls, results) => {
    const { called, answered } = idsOf(calls, results);
    const open = calls.map(({ name }, at) => ({ id: called[at], name }));
    for (const [at, { id, name }] of results.entries()) {
      if (open.length === 0) break;
      const wanted =
        open.find((call) => call.id === id) ?? open.find((call) => call.name === name) ?? open[0];
      expect(answered[at]).toBe(wanted?.id);
      if (wanted !== undefined) open.splice(open.indexOf(wanted), 1);
    }
  });
  fc.assert(property);
});

it('100,000 results in the reverse order find their calls', () => {
  const size = 100_000;
  const calls = Array.from({ length: size }, (_, at) => ({ name: `f${at}` }));
  const { called, answered } = idsOf(calls, calls.toReversed());
  expect(answered).toEqual(called.toReversed());
});
