/**
 * What it costs that enforcement follows the model, in milliseconds of processor time: the guard's first validation of a
 * call in a new process, each later one, and the watch of text without calls, for each token. Bundled first, as the
 * package is, because loading the sources one by one takes longer than what is measured:
 *
 *     npx esbuild bench/call-guard.ts --bundle --platform=node --format=esm --conditions=idiolect:source \
 *       --outfile=.cache/call-guard.mjs && node .cache/call-guard.mjs
 */
import { responseModule } from '../generated/qwen-qwen2.5-7b-instruct/index.ts';
import { createResponseParser } from '../src/codegen/create-response-parser.ts';
import { callGuard } from '../src/runtime/chat/checks/call-guard.ts';
import { GrammarCache } from '../src/runtime/chat/grammar-cache.ts';
import { SteeredResponse } from '../src/runtime/chat/steering/steered-response.ts';
import { cpuTime } from './processor-time.ts';

const { format } = responseModule;
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 7 } },
  required: ['city'],
  additionalProperties: false,
};
const tools = [{ type: 'function', function: { name: 'get_forecast', parameters } }] as const;
const request = { tools, toolNames: 'any' } as const;
const grammars = new GrammarCache();
// As in a process that has begun a response.
const { grammar, matcher } = grammars.get(format, request);

const guard = callGuard({ toolChoice: 'auto' }, tools, grammar.report);
const first = timed(1, () => guard.validate('get_forecast', { city: 'Bern', days: 3 }));
const later = timed(20_000, () => guard.validate('get_forecast', { city: 'Bern', days: 3 }));
console.log(`guard: first call ${first.toFixed(1)} ms, each later one ${later.toFixed(4)} ms`);

const text = 'Bern is warm [1], see a[0] and {x}, `code`, "quotes" and (https://a.b/c).\n';
const tokens = (text.match(/\s*\S+/g) ?? []).map((word) => new TextEncoder().encode(word));
watch(20_000);
console.log(`watching text without calls: ${watch(50_000).toFixed(4)} ms a token`);

function watch(length: number): number {
  const response = new SteeredResponse({
    ...{ grammar, matcher, guard, stops: format.stops, maxTokens: length + 1, plainText: false },
    parser: createResponseParser(format, { tools, provenance: guard.enforced, validate: guard.validate }),
    restOf: (call, written) => grammars.restOf(format, request, call, written),
    thinkingBudget: Number.POSITIVE_INFINITY,
    reasoningEnd: '',
    markers: { leading: () => undefined, splitAtBeginnings: (part) => [{ text: part, special: false }] },
    unconstrainedAfterCalls: true,
  });
  let at = 0;
  return timed(length, () => {
    const spelling = tokens[at++ % tokens.length] ?? '';
    response.take({ spelling, role: 'text', tokens: 1 });
  });
}

/** Processor time of one of `times` runs. */
function timed(times: number, run: () => void): number {
  const start = cpuTime();
  for (let done = 0; done < times; done += 1) run();
  return (cpuTime() - start) / times;
}
