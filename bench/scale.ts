/**
 * What a gateway in front of vLLM needs: a request is measured here, client and all (prompt, tokens, tag, parser, the
 * check of every character), against a server that only reads out a response; then requests of many tool sets are
 * drawn, and the parts summed up. `docs/scale.md` says what comes of it.
 *
 *     npx tsx --conditions=idiolect:source bench/scale.ts
 */
import { demoTools } from '../examples/support/demo-tools.ts';
import { responseModule } from '../generated/qwen-qwen3-0.6b/index.ts';
import type { Tool } from '../src/format/messages.ts';
import { connectServer } from '../src/runtime/servers/index.ts';
import { llamaTemplate } from '../test/support/corpora.ts';
import { seededRandom } from '../test/support/sample-grammar.ts';
import { cpuTime, median } from './processor-time.ts';

const rounds = 7;
const batch = 20;
/** Tool sets that a client remembers (`GrammarCache`). */
const remembered = 32;
/** XGrammar, 152,000 tokens (`bench/structural-tags.ts`): milliseconds for one tag. */
const compileOnServer = 30;

const { source: chatTemplate } = await llamaTemplate('Qwen-Qwen3-0.6B');
const messages = [{ role: 'user', content: 'How warm is it in Bern? '.repeat(40) }] as const;
const written = { requests: 0, bytesUp: 0, bytesDown: 0 };

/** Pieces of a response: so many words of thoughts, and a call. */
function pieces(words: number): readonly string[] {
  const [tool] = demoTools;
  const call = `{"name": "${tool?.function.name}", "arguments": {"city": "Bern", "unit": "celsius"}}`;
  const thoughts = Array.from({ length: words }, () => 'word ');
  return ['<think>', '\n', ...thoughts, '\n', '</think>', '\n\n', ...thoughts, '<tool_call>', `\n${call}\n`];
}

let response = pieces(20);

async function answer(address: string, body: string): Promise<string> {
  if (address.endsWith('/v1/models')) return '{"data":[{"id":"served","max_model_len":32768}]}';
  if (address.endsWith('/version')) return '{"version":"0.12.0"}';
  if (address.endsWith('/tokenize')) {
    const texts = JSON.parse(body).prompt.match(/<\|?\/?\w+\|?>|\w{1,4}|\s+|[^\w\s]/g) ?? [];
    return JSON.stringify({
      tokens: texts.map((_: string, index: number) => 1000 + index),
      token_strs: texts,
    });
  }
  const events = [...response, '</tool_call>'].map((text, index, all) => {
    const finish_reason = index === all.length - 1 ? 'stop' : null;
    return `data: ${JSON.stringify({ id: 'cmpl-0', choices: [{ index: 0, text, finish_reason, token_ids: [5] }] })}\n\n`;
  });
  return `${events.join('')}data: [DONE]\n\n`;
}

const model = await connectServer({
  kind: 'vllm',
  url: 'http://server.test',
  chatTemplate,
  modules: [responseModule],
  fetch: async (address, init) => {
    const body = String(init?.body ?? '');
    const text = await answer(String(address), body);
    written.requests += 1;
    written.bytesUp += body.length;
    written.bytesDown += text.length;
    return new Response(text);
  },
});

/** Milliseconds of processor time per chat. */
async function cost(toolsOf: (request: number) => readonly Tool[], words: number): Promise<number> {
  response = pieces(words);
  const times: number[] = [];
  let requests = 0;
  for (let round = 0; round < rounds; round += 1) {
    const before = cpuTime();
    for (let each = 0; each < batch; each += 1) {
      requests += 1;
      const { tool_calls: calls } = await model.chat({ messages, tools: toolsOf(requests) }).message;
      if (calls?.length !== 1) throw new Error('the response was to hold a call');
    }
    times.push((cpuTime() - before) / batch);
  }
  return median(times.slice(2));
}

let sets = 0;
function newTools(): readonly Tool[] {
  sets += 1;
  // Under the name that the response calls there has to be a tool.
  return demoTools.map((tool, index): Tool => {
    const { function: called, ...rest } = tool;
    const name = index === 0 ? called.name : `${called.name}_${sets}`;
    return { ...rest, function: { ...called, name, description: `Set ${sets}.` } };
  });
}

const few = await cost(() => demoTools, 20);
const many = await cost(() => demoTools, 220);
const compiling = (await cost(newTools, 20)) - few;
Object.assign(written, { requests: 0, bytesUp: 0, bytesDown: 0 });
response = pieces(20);
await model.chat({ messages, tools: demoTools }).message;
const { grammar } = await model.preview({ messages, tools: demoTools });
const tokens = response.length + 1;
const perToken = (many - few) / 400;
const perRequest = few - perToken * tokens;

console.log(`one chat (vLLM, Qwen3, the tools of the demo): ${written.requests} requests`);
console.log(
  `  sent, and received with ${tokens} tokens      ${written.bytesUp} and ${written.bytesDown} bytes`,
);
console.log(`  the grammar of its calls             ${grammar.grammar?.length} bytes`);
console.log(`  before and around the response       ${perRequest.toFixed(2)} ms`);
console.log(`  each token of the response           ${perToken.toFixed(4)} ms`);
console.log(`  tools that are new                   ${compiling.toFixed(2)} ms more`);

/** How many of `requests` find their tool set among the `capacity` that were used last; sets follow Zipf's law. */
function hitRate(distinct: number, capacity: number, requests = 40_000): number {
  const weights: number[] = [];
  for (let rank = 1; rank <= distinct; rank += 1) weights.push((weights.at(-1) ?? 0) + 1 / rank);
  const random = seededRandom(1);
  const kept = new Set<number>();
  let hits = 0;
  for (let request = 0; request < requests; request += 1) {
    const drawn = random() * (weights.at(-1) ?? 1);
    const set = weights.findIndex((sum) => sum >= drawn);
    if (kept.delete(set)) hits += 1;
    kept.add(set);
    const [oldest] = kept;
    if (kept.size > capacity && oldest !== undefined) kept.delete(oldest);
  }
  return hits / requests;
}

const rate = 10_000;
const responseTokens = 200;
console.log(`\n${rate} requests a second, ${responseTokens} tokens each`);
console.log(
  '  tool sets  known to the client  cores of the gateway  compiled once on each server  MB/s up, down',
);
for (const distinct of [10, 100, 1000]) {
  const known = hitRate(distinct, remembered);
  const each = perRequest + responseTokens * perToken + (1 - known) * compiling;
  const bytes = [written.bytesUp, written.bytesDown * (responseTokens / tokens)];
  const figures = [
    `${(100 * known).toFixed(1)} %`.padStart(19),
    ((rate * each) / 1000).toFixed(1).padStart(22),
    `${((distinct * compileOnServer) / 1000).toFixed(1)} s`.padStart(30),
    bytes
      .map((count) => ((count * rate) / 1e6).toFixed(0))
      .join(', ')
      .padStart(15),
  ];
  console.log(`  ${String(distinct).padStart(9)}${figures.join('')}`);
}
