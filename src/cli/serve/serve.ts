/** `idiolect serve`: models over HTTP. */
import { type Command, Option } from 'commander';
import pc from 'picocolors';
import { UnsupportedOptionError } from '../../format/errors.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import type {
  HandlerOptions,
  ModelEntry,
  RequestRecord,
  RunningServer,
  ServableModel,
  ServeOptions,
} from '../../serve/index.ts';
import { untilEnded } from '../end-signals.ts';
import type { TargetOptions } from '../model-target.ts';
import { nonNegative, portNumber, positiveInteger, wholeNumber } from '../option-values.ts';
import { builtPage, openBrowser, readPage } from '../page.ts';
import { readTextFile } from '../read-text.ts';
import { reportError } from '../report-error.ts';
import { addTargetOptions } from '../target-options.ts';
import { terminalText } from '../terminal-text.ts';
import { logResponses } from './log-responses.ts';
import {
  type LocatedEntry,
  locateAll,
  type NamedTarget,
  readServeConfig,
  readTarget,
  readUpstreams,
} from './serve-config.ts';

interface ServeCommandOptions extends Omit<TargetOptions, 'command' | 'sequences'> {
  readonly port: number;
  readonly host: string;
  readonly apiKey?: readonly string[];
  readonly upstream?: readonly string[];
  readonly sequences?: number;
  readonly queue: number;
  readonly cacheMemory?: number;
  readonly memory?: number;
  readonly keepAlive?: number;
  readonly temperature: number;
  readonly degrade?: boolean;
  readonly cors?: readonly string[];
  readonly anyModel?: boolean;
  readonly allowHost?: readonly string[];
  readonly alias?: string;
  readonly config?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly open?: boolean;
  readonly log?: boolean;
  readonly logLevel: 'error' | 'info' | 'debug';
  readonly json?: boolean;
}

/** Adds the command. */
export function registerServe(program: Command): void {
  const command = program
    .command('serve')
    .argument(
      '[model...]',
      'GGUF files, models on the Hub (owner/name), or addresses of servers; name=model serves it under that name',
    )
    .optionsGroup('Address and access:')
    .option('-p, --port <number>', 'port to listen on; 0 for any free one', portNumber, 8080)
    .option('--host <address>', 'address to listen on; 0.0.0.0 lets other machines in', '127.0.0.1')
    .option('--allow-host <name...>', 'host names that requests may use; default: those of this machine')
    .option('--cors <origin...>', 'origins whose pages may call; localhost for this machine; default: none')
    .option(
      '--api-key <key...>',
      "accepted keys; a request needs one; default: IDIOLECT_SERVE_KEY's, or none",
    )
    .option('--tls-cert <file>', 'certificate (PEM) to serve HTTPS with; default: none, HTTP')
    .option('--tls-key <file>', 'its key; default: none')
    .optionsGroup('Requests:')
    .option(
      '-s, --sequences <number>',
      'responses that one model writes at the same time; default: 2 to 8, as a quarter of the free memory holds',
      positiveInteger,
    )
    .option(
      '--upstream <address...>',
      'servers of one model, which take its requests together and stand in for each other (default: none)',
    )
    .option(
      '--cache-memory <GB>',
      'memory for prompts of conversations whose place others took; 0 keeps none; default: 1',
      nonNegative,
    )
    .option('--queue <number>', 'requests that may wait; when full, requests get 429', wholeNumber, 100)
    .option('--temperature <number>', 'for requests that do not set it', nonNegative, 0.7)
    .option('--degrade', 'accept schemas that cannot be enforced in full')
    .option('--any-model', 'let the first model answer to unknown names; default: they get 404')
    .option('--alias <name>', 'name of the first model in requests; default: that of its file', String)
    .option('--config <file>', 'a JSON file with these options and models; default: none')
    .optionsGroup('Output:')
    .option('--open', 'show a page to chat with the models and see their calls as they arrive')
    .option('--log', 'one line per request; no contents')
    .addOption(
      new Option('--log-level <level>', 'info: as --log; debug: also prompts, and all that models write')
        .choices(['error', 'info', 'debug'])
        .default('error'),
    )
    .option('--json', 'the address and the same lines for programs, on standard output')
    .optionsGroup('Model:')
    .option('--memory <GB>', 'total size of the files of open models; default: no limit', nonNegative)
    .option(
      '--keep-alive <minutes>',
      'minutes without a request after which a model is closed, and opened again when asked; default: it stays',
      nonNegative,
    )
    .option('--embeddings', 'the model is for search (embeddings, reranking), and does not chat')
    .option('--no-require-tools', 'also accept models that cannot call tools');
  addTargetOptions(command).action(serveModels);
}

async function serveModels(
  targets: readonly string[],
  { config }: ServeCommandOptions,
  command: Command,
): Promise<void> {
  const configured = config === undefined ? [] : await readServeConfig(config, command);
  const options = command.opts<ServeCommandOptions>();
  requireTexts(options);
  if (options.open === true) await readPage(builtPage('chat'));
  const upstreams = options.upstream === undefined ? [] : [readUpstreams(options.upstream)];
  const named = withAlias([...upstreams, ...targets.map(readTarget), ...configured], options.alias);
  if (named.length === 0)
    command.error("error: missing argument 'model': name one, or --upstream, or a --config with models");
  const entries = await locateAll(named, {
    ...options,
    sequences: options.sequences ?? 'auto',
    command: 'idiolect serve',
  });
  requireMemory(entries, options);
  const { serve } = await import('../../serve/index.ts');
  const [only, ...others] = entries;
  // A single model that stays is opened at once, so that the address is only printed when it works.
  const isKept = others.length === 0 && options.keepAlive === undefined;
  const opened = only !== undefined && isKept ? await openNow(only) : null;
  try {
    const concurrency = concurrencyOf(entries, options);
    const given = { ...serveOptions(options), concurrency, ...(await readTls(options)) };
    const server = await serve(opened ?? entries, given);
    const names = entries.map(({ name }) => name);
    if (options.json === true) process.stdout.write(addressJson(server, names));
    else process.stderr.write(greeting(server, names));
    if (isOpenToAll(given)) process.stderr.write(openToAll);
    if (options.open === true) openBrowser(`${server.url}/`);
    await interrupted(server);
  } finally {
    await opened?.dispose?.();
  }
}

function withAlias(models: readonly NamedTarget[], alias: string | undefined): readonly NamedTarget[] {
  return models.map((model, index) =>
    index === 0 && alias !== undefined ? { ...model, name: alias } : model,
  );
}

async function readTls({ tlsCert, tlsKey }: ServeCommandOptions): Promise<Pick<ServeOptions, 'tls'>> {
  if (tlsCert === undefined && tlsKey === undefined) return {};
  if (tlsCert === undefined || tlsKey === undefined) {
    const option = tlsCert === undefined ? '--tls-cert' : '--tls-key';
    throw new UnsupportedOptionError({ option, reason: 'certificate and key are needed together' });
  }
  const [cert, key] = await Promise.all([readTextFile(tlsCert), readTextFile(tlsKey)]);
  return { tls: { cert, key } };
}

/** Before the first is opened: a model that alone exceeds the limit never fits, also where it is the only one. */
function requireMemory(entries: readonly ModelEntry[], { memory }: ServeCommandOptions): void {
  if (memory === undefined) return;
  const large = entries.find(({ bytes = 0 }) => bytes > memory * 1e9);
  if (large === undefined) return;
  const size = Number(((large.bytes ?? 0) / 1e9).toPrecision(3));
  const reason = `model ${JSON.stringify(large.name)} alone takes ${size} GB, and ${memory} are allowed; raise the limit, or leave the model out`;
  throw new UnsupportedOptionError({ option: 'memory', reason });
}

async function openNow({ name, open }: ModelEntry): Promise<ServableModel> {
  const model = await open();
  // The model's own members depend on it, not on this object.
  return Object.create(model, { name: { value: name } }) as ServableModel;
}

/** Requests that a server of a model is sent at once: as many as vLLM takes by default. It queues the rest itself. */
const perServer = 256;

/** Sequences of a model, unless the command says otherwise. */
const usualSequences = 8;

function concurrencyOf(
  entries: readonly LocatedEntry[],
  { sequences = usualSequences }: ServeCommandOptions,
): number {
  const servers = entries.reduce((sum, entry) => sum + entry.servers, 0);
  const isLocal = entries.some((entry) => entry.servers === 0);
  // As many again wait with prepared prompts, so that a free sequence can choose a fitting one.
  return servers * perServer + (isLocal ? 2 * sequences : 0);
}

/** An empty text is what a variable leaves that is not set. */
function requireTexts(options: ServeCommandOptions): void {
  for (const option of ['apiKey', 'cors', 'allowHost'] as const)
    if (options[option]?.includes('') === true)
      throw new UnsupportedOptionError({ option, reason: 'must not be empty; leave it out for the default' });
}

function serveOptions(options: ServeCommandOptions): ServeOptions {
  const { IDIOLECT_SERVE_KEY: fromEnvironment = '' } = process.env;
  const apiKeys = options.apiKey ?? (fromEnvironment === '' ? [] : [fromEnvironment]);
  return {
    port: options.port,
    host: options.host,
    apiKeys,
    queueLimit: options.queue,
    policy: options.degrade === true ? 'degrade' : 'strict',
    defaults: { temperature: options.temperature },
    ...(options.memory === undefined ? {} : { memoryLimit: Math.floor(options.memory * 1e9) }),
    ...(options.keepAlive === undefined ? {} : { modelIdleMs: Math.round(options.keepAlive * 60_000) }),
    ...withoutUndefined({ corsOrigins: options.cors, hosts: options.allowHost }),
    ...(options.open === true ? { page: builtPage('chat') } : {}),
    ...(options.anyModel === true ? { anyModel: true } : {}),
    ...reports(options),
  };
}

function reports(options: ServeCommandOptions): Pick<HandlerOptions, 'onRequest' | 'onError' | 'verbose'> {
  const { log, json, logLevel } = options;
  if (logLevel !== 'debug') return requestReports(log === true || logLevel === 'info', json);
  logResponses((text) => void process.stderr.write(text), json === true);
  return { ...requestReports(true, json), verbose: true };
}

function requestReports(
  log: boolean,
  json: boolean | undefined,
): Pick<HandlerOptions, 'onRequest' | 'onError'> {
  const onError = (error: unknown): void => void process.stderr.write(reportError(error, json === true));
  if (json === true)
    return { onError, onRequest: (record) => void process.stdout.write(logJson(record, new Date())) };
  if (!log) return { onError };
  return { onError, onRequest: (record) => void process.stderr.write(logLine(record, new Date())) };
}

function greeting({ url }: RunningServer, names: readonly string[]): string {
  return `${pc.bold(names.map(terminalText).join(', '))}  ${pc.cyan(`${url}/v1`)}\n${pc.dim('Ctrl-C ends it\n')}`;
}

/** For programs, which cannot know a free port, nor when the models are ready: the first line. */
function addressJson({ url }: RunningServer, models: readonly string[]): string {
  return `${JSON.stringify({ type: 'serving', url, models })}\n`;
}

/** Whether machines other than this one may ask, without a key. */
export function isOpenToAll({ host = '127.0.0.1', apiKeys = [] }: ServeOptions): boolean {
  return apiKeys.length === 0 && !/^(?:localhost|127\.[\d.]+|::1)$/i.test(host);
}

const openToAll = `${pc.yellow('!')} whoever reaches this address may use it: --api-key asks for a key\n`;

/** Waits for Ctrl-C, and then for running requests; a second Ctrl-C aborts them. */
async function interrupted(server: RunningServer): Promise<void> {
  const giveUp = new AbortController();
  await untilEnded();
  const abort = (): void => giveUp.abort();
  process.once('SIGINT', abort);
  await server.close(giveUp.signal);
  process.off('SIGINT', abort);
}

/** For people: `12:00:01 200 /v1/chat/completions qwen3  830 tokens (812 cached) → 42 (12 injected), 1 call  0.31 s, 1.90 s`. */
export function logLine(record: RequestRecord, now: Date): string {
  const { endpoint, model, status, code, usage, calls, malformed } = record;
  const paint = status < 400 ? pc.green : status < 500 ? pc.yellow : pc.red;
  const parts = [
    pc.dim(now.toTimeString().slice(0, 8)),
    paint(String(status)),
    endpoint,
    ...(model === null ? [] : [pc.bold(terminalText(model).replaceAll(/\s+/g, ' '))]),
    ...(code === null ? [] : [code]),
    ...(usage === null ? [] : [tokens(usage)]),
    ...(calls === 0 ? [] : [`${calls} ${calls === 1 ? 'call' : 'calls'}`]),
    ...(malformed === 0 ? [] : [pc.yellow(`${malformed} malformed`)]),
    pc.dim(times(record)),
  ];
  return `${parts.join('  ')}\n`;
}

function tokens({
  promptTokens,
  cachedTokens,
  completionTokens,
  injectedTokens,
}: NonNullable<RequestRecord['usage']>): string {
  const cached = cachedTokens === null ? '' : ` (${cachedTokens} cached)`;
  const injected = injectedTokens === 0 ? '' : ` (${injectedTokens} injected)`;
  return `${promptTokens}${cached} → ${completionTokens}${injected} tokens`;
}

/** The times of the first and the last event. */
function times({ firstEventMs, totalMs }: RequestRecord): string {
  const shown = firstEventMs === null ? [totalMs] : [firstEventMs, totalMs];
  return shown.map((milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`).join(', ');
}

/** For programs: a JSON object on one line; times to the tenth of a millisecond. */
export function logJson(record: RequestRecord, now: Date): string {
  const shown = {
    ...{ type: 'request', time: now.toISOString() },
    ...record,
    firstEventMs: record.firstEventMs === null ? null : rounded(record.firstEventMs),
    totalMs: rounded(record.totalMs),
  };
  return `${JSON.stringify(shown)}\n`;
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
