/** Assistant messages for the laws: awkward strings, every JSON type, up to three calls. */
import fc from 'fast-check';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage, JsonObject, JsonValue } from '../../src/format/messages.ts';

const characters = [...'"\'\\\n<>&{}[] éab1-/`|,:=()\t\r', '日', '😀', '\u2028'];
const awkward = ['', 'null', 'None', 'true', '5', '{"a": 1}', '[1, 2]', ' x ', '</tool_call>', 'plain text'];

const text = fc.oneof(
  fc.array(fc.constantFrom(...characters), { maxLength: 12 }).map((units) => units.join('')),
  fc.constantFrom(...awkward),
);

const number = fc.oneof(fc.integer(), fc.constantFrom(0, -1, 1.5, 0.1, -0.25, 1e-7, 1e22, 5e-324));

const names = ['city', 'a', 'zed', 'max_count', 'Key'];

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    text,
    number,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const call = fc.record({
  name: fc.constantFrom('get_weather', 'get', 'run-it', 'f1'),
  values: fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 3, noNullPrototype: true }),
});

const prose = fc.constantFrom('Hello there.', 'one\ntwo', 'x < y & z', '{"a": 1}', '[1]', 'é 日', 'say "hi"');

/** A message, and how many calls of it to use. */
export const drafts = fc.record({
  content: fc.option(prose),
  reasoning: fc.option(prose.map((words) => `So: ${words}`)),
  calls: fc.array(call, { maxLength: 3 }),
});

type Draft = typeof drafts extends fc.Arbitrary<infer T> ? T : never;

/** Values that a template takes as JSON text are passed through as given, so their spelling is no law. */
function spelled(values: JsonObject, format: ChatFormat): JsonObject {
  if (format.input.arguments === 'object') return values;
  return JSON.parse(
    JSON.stringify(values, (_, item) => (typeof item === 'number' ? Math.trunc(item) % 1e6 : item)),
  );
}

/** The part of a draft that a format can carry. */
export function messageFor(draft: Draft, format: ChatFormat): AssistantMessage {
  const most = format.calls === null ? 0 : format.calls.parallel ? 3 : 1;
  const calls = draft.calls.slice(0, most).map((each, index) => ({
    id: `callid12${index}`,
    type: 'function' as const,
    function: { name: each.name, arguments: JSON.stringify(spelled(each.values, format)) },
  }));
  const keepsReasoning = format.reasoning !== null && format.reasoning.preserved !== 'never';
  return {
    role: 'assistant',
    content: calls.length === 0 ? (draft.content ?? 'Hello') : draft.content,
    ...(keepsReasoning && draft.reasoning !== null ? { reasoning_content: draft.reasoning } : {}),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}
