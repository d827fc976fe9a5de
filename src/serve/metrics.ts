/** Metrics for Prometheus: finished, running and waiting requests. No contents. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Usage } from '../parser/events.ts';
import type { Admission } from './admission.ts';
import type { ListedModel } from './model-pool.ts';
import type { RequestRecord } from './request-record.ts';
import type { UpstreamHealth } from './servable-model.ts';

/** Seconds: from a cached prompt on a GPU to a long prompt on a CPU. */
const buckets = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200];

/** The metrics of one server. Each has its own registry, so that several servers in a process are separate. */
export class ServerMetrics {
  readonly #registry = new Registry();
  readonly #requests = this.#counter('requests', 'Requests that are over, with the status of their end.', [
    'endpoint',
    'model',
    'status',
  ]);
  readonly #prompt = this.#counter('prompt_tokens', 'Tokens of prompts.');
  readonly #cached = this.#counter('cached_tokens', 'Of those of prompts, tokens evaluated before.');
  readonly #completion = this.#counter('completion_tokens', 'Tokens of responses.');
  readonly #injected = this.#counter('injected_tokens', 'Of those of responses, tokens not sampled.');
  readonly #calls = this.#counter('tool_calls', 'Tool calls.');
  readonly #malformed = this.#counter('malformed', "Stretches of text that fit the model's format nowhere.");
  readonly #firstEvent = this.#histogram(
    'time_to_first_event_seconds',
    'From a request to the first event of its response, waiting included.',
  );
  readonly #duration = this.#histogram(
    'request_duration_seconds',
    'From a request to the end of its response, waiting included.',
  );

  constructor(
    admission: Pick<Admission, 'running' | 'queued'>,
    models: () => readonly ListedModel[] = () => [],
  ) {
    this.#gauge('requests_running', 'Requests at work.', () => admission.running);
    this.#gauge('requests_queued', 'Requests that wait for a turn.', () => admission.queued);
    const upstream = (name: string, help: string, read: (server: UpstreamHealth) => number): void =>
      this.#upstreamGauge(name, help, models, read);
    upstream('up', 'Whether requests are sent to it.', ({ isWell }) => Number(isWell));
    upstream('running', 'Responses that it is writing.', ({ running }) => running);
    upstream('requests', 'Responses that it was asked for since the start.', ({ requests }) => requests);
    upstream('failures', 'Its failures since the start.', ({ failures }) => failures);
  }

  /** Counts a finished request. */
  count({ endpoint, model, status, usage, calls, malformed, firstEventMs, totalMs }: RequestRecord): void {
    // Unknown model names are not used as labels, because clients could create any number of them.
    const of = { model: model ?? '' };
    this.#requests.inc({ ...of, endpoint, status });
    this.#calls.inc(of, calls);
    this.#malformed.inc(of, malformed);
    if (usage !== null) this.#countTokens(of, usage);
    if (firstEventMs !== null) this.#firstEvent.observe(of, firstEventMs / 1000);
    this.#duration.observe(of, totalMs / 1000);
  }

  /** All metrics in Prometheus's text format. */
  async response(): Promise<Response> {
    const { contentType } = this.#registry;
    return new Response(await this.#registry.metrics(), { headers: { 'content-type': contentType } });
  }

  #countTokens(of: { readonly model: string }, usage: Usage): void {
    this.#prompt.inc(of, usage.promptTokens);
    this.#cached.inc(of, usage.cachedTokens ?? 0);
    this.#completion.inc(of, usage.completionTokens);
    this.#injected.inc(of, usage.injectedTokens);
  }

  #counter(name: string, help: string, labelNames: readonly string[] = ['model']): Counter {
    return new Counter({ name: `idiolect_${name}_total`, help, labelNames, registers: [this.#registry] });
  }

  #histogram(name: string, help: string): Histogram {
    const registers = [this.#registry];
    return new Histogram({ name: `idiolect_${name}`, help, labelNames: ['model'], buckets, registers });
  }

  #upstreamGauge(
    name: string,
    help: string,
    models: () => readonly ListedModel[],
    read: (server: UpstreamHealth) => number,
  ): void {
    const gauge: Gauge = new Gauge({
      name: `idiolect_upstream_${name}`,
      help: `Of each server of a model: ${help}`,
      labelNames: ['model', 'upstream'],
      registers: [this.#registry],
      collect: () => {
        for (const { name: of, model } of models())
          for (const server of model?.servers ?? [])
            gauge.set({ model: of, upstream: server.url }, read(server));
      },
    });
  }

  #gauge(name: string, help: string, read: () => number): void {
    const registers = [this.#registry];
    const gauge: Gauge = new Gauge({
      name: `idiolect_${name}`,
      help,
      registers,
      collect: () => gauge.set(read()),
    });
  }
}
