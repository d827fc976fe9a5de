/**
 * What a gateway in front of vLLM needs, and what its servers do meanwhile. A request is measured here, client and all
 * (prompt, tokens, tag, parser, the check of every character), against a server that only reads out a response; then
 * gateways and servers are simulated in virtual time. `docs/scale.md` says what comes of it.
 *
 *     npx tsx --conditions=idiolect:source bench/scale.ts [chat] [fleet]     default: both
 */
import { demoTools } from '../examples/support/demo-tools.ts';
import { seededRandom } from '../test/support/sample-grammar.ts';
import { asChat, asGateway, type ChatCost, costOf, memoryOf } from './fleet/one-chat.ts';
import { ScriptedUpstream } from './fleet/scripted-upstream.ts';
import { type Fleet, simulate } from './fleet/simulate.ts';

/** Tool sets that a client remembers (`GrammarCache`). */
const remembered = 32;
/** XGrammar, 152,000 tokens (`bench/structural-tags.ts`): milliseconds for one tag, and for a mask under it. */
const compileOnServer = 30;
const maskMs = 0.04;
const responseTokens = 200;

const parts = process.argv.slice(2);
if (parts.length === 0 || parts.includes('chat')) await measureChat();
if (parts.length === 0 || parts.includes('fleet')) simulateFleets();

async function measureChat(): Promise<void> {
  const upstream = new ScriptedUpstream();
  const model = await upstream.connect();
  const chat = await costOf(asChat(model), upstream);
  Object.assign(upstream.written, { requests: 0, bytesUp: 0, bytesDown: 0 });
  await asChat(model)(demoTools);
  const { requests, bytesUp, bytesDown } = upstream.written;
  const { tokens } = upstream;
  console.log(`one chat (vLLM, Qwen3, the tools of the demo): ${requests} requests`);
  console.log(`  sent, and received with ${tokens} tokens: ${bytesUp} and ${bytesDown} bytes`);
  const gateway = await costOf(asGateway(model), upstream);
  console.table({ 'in this process': chat, 'as a gateway': gateway });
  const memory: Record<string, object> = {};
  for (const characters of [1000, 8000, 64_000])
    memory[`${characters} characters`] = await memoryOf(model, upstream, characters);
  console.log('kilobytes of a gateway for each conversation');
  console.table(memory);
  console.log(`${responseTokens} tokens each, a turn of each conversation every 38 s`);
  console.table(
    [1000, 10_000, 100_000].flatMap((conversations) =>
      [10, 1000].map((distinct) => gatewaysFor(conversations, distinct, gateway)),
    ),
  );
}

function gatewaysFor(conversations: number, distinct: number, cost: ChatCost): object {
  const known = hitRate(distinct, remembered);
  const rate = conversations / 38;
  const each = cost.perRequest + responseTokens * cost.perToken + (1 - known) * cost.newTools;
  return {
    conversations,
    'tool sets': distinct,
    'known to the client': `${(100 * known).toFixed(0)} %`,
    'requests a second': Math.round(rate),
    'cores of gateways': ((rate * each) / 1000).toFixed(2),
    'compiled, once on each server': `${((distinct * compileOnServer) / 1000).toFixed(1)} s`,
  };
}

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

function simulateFleets(): void {
  const costs = { stepMs: 8, perResponseMs: 0.05, maskMs, promptTokensPerMs: 25, cacheTokens: 1_000_000 };
  const usual: Fleet = {
    replicas: 4,
    gateways: 1,
    conversations: 1000,
    placement: 'by-prefix',
    costs,
    lastsMs: 600_000,
  };
  const fleets: Readonly<Record<string, Fleet>> = {
    '1,000 conversations, 4 replicas': usual,
    '2,000 conversations': { ...usual, conversations: 2000 },
    'without constraints': { ...usual, costs: { ...costs, maskMs: 0 } },
    'placed at random': { ...usual, placement: 'at-random' },
    'one replica four times slower': { ...usual, slowness: 4 },
    'the same, seen by 8 gateways': { ...usual, slowness: 4, gateways: 8 },
    'a rolling restart, 60 s each': { ...usual, restartMs: 60_000 },
    'the same, placed at random': { ...usual, restartMs: 60_000, placement: 'at-random' },
  };
  const seconds = (pair: readonly [number, number]): string =>
    pair.map((value) => (value / 1000).toFixed(2)).join(', ');
  console.table(
    Object.fromEntries(
      Object.entries(fleets).map(([name, fleet]) => {
        const { requestsPerSecond, cached, first, whole, moved, failed, atOnce } = simulate(fleet);
        const figures = {
          'requests a second': requestsPerSecond.toFixed(0),
          'written at once': atOnce.toFixed(0),
          'prompt tokens cached': `${(100 * cached).toFixed(0)} %`,
          'first token, s': seconds(first),
          'whole, s': seconds(whole),
          moved,
          failed,
        };
        return [name, figures];
      }),
    ),
  );
}
