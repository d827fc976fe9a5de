/**
 * A local server that speaks the Hub's HTTP API: model info, file tree, resolve with a redirect to
 * another host, ranges, refusals; with faults on demand, and a record of every request.
 */
import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Content of a file: bytes, or a header with so many zeros after it as to make `size`. */
export type FakeContent = Buffer | { readonly head: Buffer; readonly size: number };

/** A repository on the fake Hub. */
export interface FakeRepository {
  readonly files: Readonly<Record<string, FakeContent>>;
  readonly gated?: boolean;
  readonly private?: boolean;
  /** Hashes that the Hub states, where they shall differ from the content. */
  readonly statedSha256?: Readonly<Record<string, string>>;
  /** Files kept in git itself, without a SHA-256. */
  readonly inGit?: readonly string[];
  /** Branches and tags next to `main`. */
  readonly revisions?: readonly string[];
}

/** Something that goes wrong with one answer. */
export type Fault =
  /** The connection is cut after so many bytes of the body. */
  | { readonly type: 'cut'; readonly after: number }
  /** Nothing more comes after so many bytes. */
  | { readonly type: 'stall'; readonly after: number }
  /** So many bytes come per second, whatever the setting. */
  | { readonly type: 'slow'; readonly speed: number }
  /** The byte at this offset of the file is another one. */
  | { readonly type: 'corrupt'; readonly at: number }
  /** The body ends early, with a content length that agrees. */
  | { readonly type: 'short'; readonly by: number }
  /** The whole file with status 200, as from a server that knows no ranges. */
  | { readonly type: 'whole' }
  | { readonly type: 'html' }
  | { readonly type: 'status'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly type: 'redirect'; readonly to: string }
  | { readonly type: 'body'; readonly body: string };

/** A request as the fake Hub saw it. */
export interface SeenRequest {
  /** The Hub itself, or the other host that files come from. */
  readonly host: 'hub' | 'cdn';
  readonly path: string;
  readonly authorization: string | null;
  readonly range: { readonly start: number; readonly end: number } | null;
  /** Bytes of the body sent so far. */
  sent: number;
}

/** Settings of a fake Hub; all can be changed while it runs. */
export interface FakeHubSettings {
  repositories: Record<string, FakeRepository>;
  /** Known tokens, and whether their account has accepted the gated models' terms. */
  tokens: Record<string, { readonly accepted: boolean }>;
  /** Called for every request; what it returns goes wrong. */
  fault: (request: SeenRequest) => Fault | undefined;
  /** Bytes per second of each body; `Infinity` for as fast as can be. */
  speed: number;
  /** Entries per page of a file tree. */
  pageSize: number;
  /** Requests that a redirect's address serves before it has expired. */
  addressUses: number;
}

/** A running fake Hub. */
export interface FakeHub extends FakeHubSettings {
  readonly endpoint: string;
  /** `host:port` of the other host. */
  readonly cdnHost: string;
  readonly requests: SeenRequest[];
  close(): Promise<void>;
}

/** The one commit that every fake repository has. */
export const fakeCommit = 'c0ffee00'.repeat(5);

/** Starts a fake Hub on free ports of this machine. */
export async function startFakeHub(settings: Partial<FakeHubSettings> = {}): Promise<FakeHub> {
  const hub = {
    repositories: {},
    tokens: {},
    fault: () => undefined,
    speed: Number.POSITIVE_INFINITY,
    pageSize: 1000,
    addressUses: Number.POSITIVE_INFINITY,
    ...settings,
    endpoint: '',
    cdnHost: '',
    requests: [] as SeenRequest[],
    close: async () => undefined,
  } satisfies { -readonly [K in keyof FakeHub]: FakeHub[K] };
  const addresses = new Map<string, { content: FakeContent; uses: number }>();
  const main = http.createServer((request, response) => answerHub(hub, addresses, request, response));
  const cdn = http.createServer((request, response) => answerCdn(hub, addresses, request, response));
  hub.endpoint = `http://127.0.0.1:${await listen(main)}`;
  hub.cdnHost = `localhost:${await listen(cdn)}`;
  return Object.assign(hub, {
    close: async () => {
      for (const server of [main, cdn]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  });
}

async function listen(server: http.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return (server.address() as AddressInfo).port;
}

type Addresses = Map<string, { content: FakeContent; uses: number }>;

function seen(hub: FakeHub, host: SeenRequest['host'], request: http.IncomingMessage): SeenRequest {
  const match = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
  const record: SeenRequest = {
    host,
    path: request.url ?? '',
    authorization: request.headers.authorization ?? null,
    range: match === null ? null : { start: Number(match[1]), end: Number(match[2]) },
    sent: 0,
  };
  hub.requests.push(record);
  return record;
}

/** A stretch of a file. */
interface Part {
  readonly content: FakeContent;
  readonly start: number;
  readonly end: number;
}

/** An answer; its body is text, or part of a file. */
interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Part;
}

function answerHub(
  hub: FakeHub,
  addresses: Addresses,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): void {
  const record = seen(hub, 'hub', request);
  const fault = hub.fault(record);
  send(response, (fault && faultAnswer(fault)) ?? hubAnswer(hub, addresses, record));
}

function hubAnswer(hub: FakeHub, addresses: Addresses, record: SeenRequest): Answer {
  const url = new URL(record.path, hub.endpoint);
  const api = /^\/api\/models\/([^/]+\/[^/]+)\/(revision|tree)\/([^/]+)$/.exec(url.pathname);
  const file = /^\/([^/]+\/[^/]+)\/resolve\/([^/]+)\/(.+)$/.exec(url.pathname);
  const model = api?.[1] ?? file?.[1] ?? '';
  const repository = hub.repositories[model];
  const token = record.authorization?.replace(/^Bearer /, '') ?? null;
  if (token !== null && hub.tokens[token] === undefined) return refusal(401, '');
  if (repository === undefined) return refusal(token === null ? 401 : 404, 'RepoNotFound');
  if (repository.private && token === null) return refusal(401, 'RepoNotFound');
  const revision = decodeURIComponent(api?.[3] ?? file?.[2] ?? '');
  const revisions = ['main', 'HEAD', fakeCommit, ...(repository.revisions ?? [])];
  if (!revisions.includes(revision)) return refusal(404, 'RevisionNotFound');
  if (api?.[2] === 'revision') return info(model, repository);
  if (api?.[2] === 'tree') return tree(hub, url, repository);
  if (repository.gated && (token === null || !hub.tokens[token]?.accepted)) {
    return refusal(token === null ? 401 : 403, 'GatedRepo');
  }
  const content = repository.files[decodeURIComponent(file?.[3] ?? '')];
  if (content === undefined) return refusal(404, 'EntryNotFound');
  const signature = `${addresses.size}-${Math.random().toString(36).slice(2)}`;
  addresses.set(signature, { content, uses: 0 });
  const location = `http://${hub.cdnHost}/blobs/x?signature=${signature}`;
  return { status: 302, headers: { location, 'x-linked-size': String(sizeOf(content)) } };
}

function answerCdn(
  hub: FakeHub,
  addresses: Addresses,
  request: http.IncomingMessage,
  response: http.ServerResponse,
): void {
  const record = seen(hub, 'cdn', request);
  const fault = hub.fault(record);
  const answer = (fault && faultAnswer(fault)) ?? cdnAnswer(hub, addresses, record, fault);
  if (typeof answer.body !== 'object') {
    send(response, answer);
  } else {
    response.writeHead(answer.status, answer.headers);
    void sendBody(hub, record, response, answer.body, fault);
  }
}

function cdnAnswer(
  hub: FakeHub,
  addresses: Addresses,
  record: SeenRequest,
  fault: Fault | undefined,
): Answer {
  const signature = new URL(record.path, hub.endpoint).searchParams.get('signature') ?? '';
  const address = addresses.get(signature);
  if (address === undefined || ++address.uses > hub.addressUses) return refusal(403, '');
  const { content } = address;
  const size = sizeOf(content);
  const range = fault?.type === 'whole' ? null : record.range;
  if (range !== null && range.start >= size) return refusal(416, '');
  const start = range?.start ?? 0;
  const end = Math.min(range?.end ?? size - 1, size - 1) + 1 - (fault?.type === 'short' ? fault.by : 0);
  const headers = { 'content-length': String(end - start), 'content-type': 'application/octet-stream' };
  const body = { content, start, end };
  if (range === null) return { status: 200, headers, body };
  const contentRange = `bytes ${start}-${end - 1}/${size}`;
  return { status: 206, headers: { ...headers, 'content-range': contentRange }, body };
}

async function sendBody(
  hub: FakeHub,
  record: SeenRequest,
  response: http.ServerResponse,
  part: Part,
  fault: Fault | undefined,
): Promise<void> {
  // Asked for at every step: it may change while a body is under way.
  const speed = (): number => (fault?.type === 'slow' ? fault.speed : hub.speed);
  const step = Number.isFinite(speed()) ? 4096 : 65_536;
  for (let at = part.start; at < part.end && !response.destroyed; at += step) {
    const bytes = slice(part.content, at, Math.min(at + step, part.end));
    if (fault?.type === 'corrupt' && fault.at >= at && fault.at < at + bytes.length) {
      bytes[fault.at - at] = (bytes[fault.at - at] ?? 0) ^ 0xff;
    }
    if ((fault?.type === 'cut' || fault?.type === 'stall') && record.sent + bytes.length > fault.after) {
      response.write(bytes.subarray(0, fault.after - record.sent));
      record.sent = fault.after;
      if (fault.type === 'cut') setImmediate(() => response.destroy());
      return;
    }
    record.sent += bytes.length;
    if (!response.write(bytes)) await drained(response);
    if (Number.isFinite(speed())) {
      await new Promise((resolve) => setTimeout(resolve, (bytes.length / speed()) * 1000));
    }
  }
  response.end();
}

function drained(response: http.ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}

/** The answer of a fault that needs no content; `undefined` for faults of the body. */
function faultAnswer(fault: Fault): Answer | undefined {
  if (fault.type === 'status') return { status: fault.status, headers: fault.headers ?? {} };
  if (fault.type === 'redirect') return { status: 302, headers: { location: fault.to } };
  if (fault.type === 'body') return json(fault.body);
  if (fault.type !== 'html') return undefined;
  const body = '<!DOCTYPE html><html><body>Please sign in to this network</body></html>';
  return { status: 200, headers: { 'content-type': 'text/html' }, body };
}

function send(response: http.ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, answer.headers);
  response.end(typeof answer.body === 'string' ? answer.body : '');
}

function refusal(status: number, code: string): Answer {
  return { status, headers: code === '' ? {} : { 'x-error-code': code } };
}

function json(body: string): Answer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

function info(model: string, repository: FakeRepository): Answer {
  const facts = {
    _id: '0',
    id: model,
    sha: fakeCommit,
    private: repository.private ?? false,
    gated: repository.gated ? 'auto' : false,
    downloads: 1,
    likes: 1,
    lastModified: '2026-01-01T00:00:00.000Z',
    gguf: { chat_template: 'only the default template is told here' },
  };
  return json(JSON.stringify(facts));
}

function tree(hub: FakeHub, url: URL, repository: FakeRepository): Answer {
  const entries = Object.entries(repository.files).map(([path, content]) => {
    const size = sizeOf(content);
    if (repository.inGit?.includes(path)) return { type: 'file', path, size, oid: gitSha1(content) };
    const oid = repository.statedSha256?.[path] ?? sha256(content);
    return { type: 'file', path, size, oid: 'a'.repeat(40), lfs: { oid, size, pointerSize: 134 } };
  });
  const from = Number(url.searchParams.get('cursor') ?? 0);
  const next = new URL(url);
  next.searchParams.set('cursor', String(from + hub.pageSize));
  const answer = json(JSON.stringify(entries.slice(from, from + hub.pageSize)));
  const more = from + hub.pageSize < entries.length;
  const link = more ? { link: `<${next.href}>; rel="next"` } : {};
  return { ...answer, headers: { ...answer.headers, ...link } };
}

function sizeOf(content: FakeContent): number {
  return Buffer.isBuffer(content) ? content.length : content.size;
}

function slice(content: FakeContent, start: number, end: number): Buffer {
  if (Buffer.isBuffer(content)) return Buffer.from(content.subarray(start, end));
  return Buffer.concat([content.head.subarray(start, end), Buffer.alloc(end - start)]).subarray(
    0,
    end - start,
  );
}

function sha256(content: FakeContent): string {
  return createHash('sha256')
    .update(Buffer.isBuffer(content) ? content : content.head)
    .digest('hex');
}

function gitSha1(content: FakeContent): string {
  const bytes = Buffer.isBuffer(content) ? content : content.head;
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
