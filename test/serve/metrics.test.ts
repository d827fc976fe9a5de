/** `/metrics`, against what requests say of themselves. */
import { afterEach, describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../src/serve/index.ts';
import { createHandler, type Handler } from '../../src/serve/index.ts';
import { ServerMetrics } from '../../src/serve/metrics.ts';
import { writtenModel } from '../ai-sdk/written-model.ts';
import { heldModel } from './held-model.ts';
import { anyFormat, oneCall, question, weatherTool } from './served-models.ts';

let handler: Handler | null = null;
afterEach(async () => {
  await handler?.close(AbortSignal.abort());
  handler = null;
});

/** Values by their name and labels, as Prometheus reads them; those of histograms' buckets are left out. */
async function scrape(answer: Response | undefined): Promise<Record<string, number>> {
  expect(answer?.status).toBe(200);
  expect(answer?.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = ((await answer?.text()) ?? '').split('\n').filter((line) => /^[^#]/.test(line));
  const values = lines.map((line): [string, number] => {
    const at = line.lastIndexOf(' ');
    return [line.slice(0, at), Number(line.slice(at + 1))];
  });
  return Object.fromEntries(values.filter(([name]) => !name.includes('_bucket{')));
}

const metrics = (headers = {}) => handler?.(new Request('http://localhost/metrics', { headers }));

function ask(body: object, headers = {}): Promise<Response> | undefined {
  const init = { method: 'POST', body: JSON.stringify(body) };
  const json = { 'content-type': 'application/json', ...headers };
  return handler?.(new Request('http://localhost/v1/chat/completions', { ...init, headers: json }));
}

const usage = {
  promptTokens: 830,
  cachedTokens: 812,
  completionTokens: 42,
  reasoningTokens: 0,
  textTokens: 2,
  callTokens: 40,
  injectedTokens: 12,
};
const record: RequestRecord = {
  id: 'a',
  endpoint: '/v1/chat/completions',
  model: 'small',
  stream: true,
  status: 200,
  code: null,
  finish: 'tool-calls',
  usage,
  calls: 1,
  malformed: 0,
  firstEventMs: 500,
  totalMs: 2000,
};

describe('metrics', () => {
  it('are the sums of the records', async () => {
    const counted = new ServerMetrics({ running: 3, queued: 7 });
    counted.count(record);
    counted.count({ ...record, usage: { ...usage, cachedTokens: null }, calls: 0, malformed: 2 });
    counted.count({ ...record, model: null, status: 400, usage: null, calls: 0, firstEventMs: null });
    const of = (name: string) => `idiolect_${name}{model="small"}`;
    expect(await scrape(await counted.response())).toMatchObject({
      'idiolect_requests_total{model="small",endpoint="/v1/chat/completions",status="200"}': 2,
      'idiolect_requests_total{model="",endpoint="/v1/chat/completions",status="400"}': 1,
      [of('prompt_tokens_total')]: 1660,
      [of('cached_tokens_total')]: 812,
      [of('completion_tokens_total')]: 84,
      [of('injected_tokens_total')]: 24,
      [of('tool_calls_total')]: 1,
      [of('malformed_total')]: 2,
      [of('time_to_first_event_seconds_count')]: 2,
      [of('time_to_first_event_seconds_sum')]: 1,
      [of('request_duration_seconds_sum')]: 4,
      idiolect_requests_running: 3,
      idiolect_requests_queued: 7,
    });
  });

  it('say nothing of what was asked, called or answered, and need a key', async () => {
    handler = createHandler(writtenModel(anyFormat, [oneCall]), { apiKeys: ['secret'] });
    const key = { authorization: 'Bearer secret' };
    expect((await metrics())?.status).toBe(401);
    await ask({ messages: [question], tools: [weatherTool] }, key);
    await ask({ messages: [question], model: 'whatever-they-say' }, key);
    const text = (await (await metrics(key))?.clone().text()) ?? '';
    expect(text).toContain('idiolect_tool_calls_total{model="written"} 1\n');
    expect(text).toContain('status="404"} 1\n');
    for (const content of ['Bern', 'warm', 'get_weather', 'secret', 'whatever'])
      expect(text).not.toContain(content);
  });

  it('count who is at work, who waits and who left', async () => {
    const model = heldModel(1);
    handler = createHandler(model, { concurrency: 1 });
    const first = ask({ messages: [question] });
    await model.until('begun', 1);
    const second = ask({ messages: [question] });
    const queued = async () => (await scrape(await metrics())).idiolect_requests_queued;
    while ((await queued()) !== 1) await new Promise((resolve) => setImmediate(resolve));
    expect(await scrape(await metrics())).toMatchObject({ idiolect_requests_running: 1 });
    await model.step();
    await first;
    await model.step();
    await second;
    expect(await scrape(await metrics())).toMatchObject({
      'idiolect_requests_total{model="held",endpoint="/v1/chat/completions",status="200"}': 2,
      idiolect_requests_running: 0,
      idiolect_requests_queued: 0,
    });
  });
});
