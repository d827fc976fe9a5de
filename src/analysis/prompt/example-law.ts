/**
 * The law about the model: every example of a call that a prompt shows is read by the format's parser to what it says,
 * and derived by its grammar. Renders of finished turns are texts of the template; an example is what the model is told
 * to write.
 */
import { createResponseParser } from '../../codegen/create-response-parser.ts';
import type { CallsFormat, ChatFormat } from '../../format/chat-format.ts';
import { chatFormatVersion } from '../../format/chat-format.ts';
import { parseObject } from '../../format/json-values.ts';
import { memoize } from '../../format/memoize.ts';
import type { Tool, ToolCall } from '../../format/messages.ts';
import { buildGrammar } from '../../grammar/build-grammar.ts';
import { createMatcher } from '../../language/matcher/matcher.ts';
import { turnLayout } from '../../layout/turn-layout.ts';
import { writeCalls } from '../../layout/write-response.ts';
import { type CallSample, sampleWords } from './call-example.ts';

/** How an example is read. `spaced`: with white space at the edges of values that the example does not mean. */
type ExampleReading = 'as meant' | 'spaced' | 'otherwise';

/** The tool that an example calls. */
function toolOf({ name, arguments: values }: Pick<CallSample, 'name' | 'arguments'>): Tool {
  const properties = Object.fromEntries(Object.keys(values).map((key) => [key, { type: 'string' }]));
  const parameters = {
    type: 'object',
    properties,
    required: Object.keys(values),
    additionalProperties: false,
  };
  return { type: 'function', function: { name, parameters } };
}

/** How the format's parser reads an example. */
export function readSample(format: ChatFormat, sample: CallSample): ExampleReading {
  const parser = createResponseParser(format, { tools: [toolOf(sample)] });
  parser.feed(sample.text);
  const { content, tool_calls: calls = [] } = parser.finish().message;
  const [call, ...others] = calls;
  if (call === undefined || others.length > 0 || (content ?? '').trim() !== '') return 'otherwise';
  const values = parseObject(call.function.arguments) ?? {};
  const keys = Object.keys(sample.arguments);
  if (call.function.name !== sample.name || Object.keys(values).length !== keys.length) return 'otherwise';
  if (keys.every((key) => values[key] === sample.arguments[key])) return 'as meant';
  return keys.every((key) => String(values[key]).trim() === sample.arguments[key]) ? 'spaced' : 'otherwise';
}

/** Whether the grammar of a required call derives an example that is shown with all its markers. */
export function derivesSample(format: ChatFormat, sample: CallSample): boolean {
  if (!sample.isWhole) return true;
  const { expression } = buildGrammar(format, { tools: [toolOf(sample)], toolChoice: 'required' });
  if (expression === null) return false;
  const matcher = createMatcher(expression);
  return matcher.accept(sample.text) && matcher.complete;
}

/** Whether the format writes the example as a part of the same call: a prompt may leave out what is before the call. */
export function writesSample(format: ChatFormat, { text, ...call }: CallSample): boolean {
  const { calls } = turnLayout(format);
  return calls !== null && writeCalls(calls, [madeCall(call)]).includes(text.trim());
}

/** Whether calls begin with a marker of their own, and the format reads its own call after text. */
export function readsItself(calls: CallsFormat): boolean {
  const format = formatOfCalls(calls);
  const region = turnLayout(format).calls;
  if (region === null || region.opener.isBlank) return false;
  const { name, key, value } = sampleWords;
  const call = { name, arguments: { [key]: value } };
  const text = 'Let me look.';
  const parser = createResponseParser(format, { tools: [toolOf(call)] });
  parser.feed(text + writeCalls(region, [madeCall(call)]));
  const { content, tool_calls: read = [] } = parser.finish().message;
  return read.length === 1 && read[0]?.function.name === name && (content ?? '').trim() === text;
}

function madeCall({ name, arguments: values }: Pick<CallSample, 'name' | 'arguments'>): ToolCall {
  return {
    id: 'call00001',
    type: 'function',
    function: { name, arguments: JSON.stringify(values) },
  };
}

/** A format of nothing but calls, to try them before the other parts are known. */
export const formatOfCalls = memoize(
  (calls: CallsFormat): ChatFormat => ({
    version: chatFormatVersion,
    templateSha256: '',
    labels: { toolFormat: null, reasoningMode: 'none', contentMode: 'plain' },
    capabilities: {
      supportsTools: true,
      supportsToolCalls: true,
      supportsSystemRole: true,
      supportsParallelToolCalls: calls.parallel,
      supportsPreserveReasoning: false,
      supportsReasoningEffort: false,
      supportsStringContent: true,
      supportsTypedContent: false,
      supportsObjectArguments: true,
    },
    input: { arguments: 'object', emptyContent: 'empty', reasoningField: null, thinkingVariables: [] },
    turn: { start: '', ends: [], restart: false, prompt: { unset: '', on: '', off: '' } },
    reasoning: null,
    content: { open: '', close: '', withCalls: null, position: 'before-calls', beforeCalls: '' },
    calls,
    preservedTokens: [],
    stops: [],
  }),
);
