/** A Hub that lies, floods or sends people elsewhere: bounded, typed, and the token stays where it is. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { IdiolectError } from '../../src/format/errors.ts';
import { createHub } from '../../src/hub/hub-client.ts';
import { inspectRemote } from '../../src/hub/inspect-model.ts';
import { resolveModel } from '../../src/hub/resolve-model.ts';
import { observeWords, toolModel } from './hub-fixture.ts';

const endpoint = 'https://hub.test';
const token = 'hf_secret';
const reference = { model: 'org/model', revision: null, quantization: null, file: null };
const file = toolModel(3000);
const commit = 'c0ffee00'.repeat(5);
const hash = 'a'.repeat(64);
const listed = { type: 'file', path: 'm.gguf', size: file.length, lfs: { oid: hash, size: file.length } };

type Answer = (request: { readonly url: URL; readonly range: string | null }) => Response;

/** What is asked of the Hub, and its honest answers. */
const honest: Readonly<Record<'info' | 'tree' | 'bytes', Answer>> = {
  info: () => Response.json({ id: 'org/model', sha: commit, gated: false, private: false }),
  tree: () => Response.json([listed]),
  bytes: ({ range }) => part(range),
};
type Asked = keyof typeof honest;

/** The stretch that was asked for. */
function part(range: string | null, headers: Readonly<Record<string, string>> = {}, bytes = file): Response {
  const [, start = '', end = ''] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  const last = Math.min(Number(end), file.length - 1);
  const contentRange = `bytes ${start}-${last}/${file.length}`;
  const body = new Uint8Array(bytes.subarray(Number(start), last + 1));
  return new Response(body, { status: 206, headers: { 'content-range': contentRange, ...headers } });
}

function redirect(location: string, status = 307): Response {
  return new Response(null, { status, headers: { location } });
}

function endless(text: string, start = ''): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(start)),
    pull: (controller) => controller.enqueue(encoder.encode(text)),
  });
}

function broken(start: string): ReadableStream<Uint8Array> {
  let begun = false;
  return new ReadableStream({
    pull(controller) {
      if (begun) controller.error(new Error('the cable was pulled'));
      else controller.enqueue(new TextEncoder().encode(start));
      begun = true;
    },
  });
}

const block = 'a'.repeat(65_536);

/** No answers, whatever was asked. */
const none: Readonly<Record<string, Answer>> = {
  'an answer without end': () => new Response(endless(block)),
  'a list without end': () => new Response(endless('{"a":1},'.repeat(10_000), '[')),
  'a refusal without end': () => new Response(endless(block), { status: 418 }),
  'a redirect elsewhere, and what is there is no answer': () => redirect('https://evil.test/'),
  'a redirect without protection': () => redirect('http://hub.test/'),
  'a redirect to a file': () => redirect('file:///etc/passwd'),
  'a redirect to a script': () => redirect('javascript:alert(1)'),
  'a redirect to data': () => redirect('data:application/json,{}'),
  'a redirect to no address': () => redirect('https://['),
  'a redirect without a target': () => new Response(null, { status: 302 }),
  'a redirect in a circle': ({ url }) => redirect(url.href),
  'a web page': () => new Response('<!DOCTYPE html>', { headers: { 'content-type': 'text/html' } }),
  nothing: () => new Response(''),
  'no body': () => new Response(null, { status: 204 }),
  'not modified': () => new Response(null, { status: 304 }),
  null: () => Response.json(null),
  'a number': () => Response.json(7),
  'a text': () => Response.json('org/model'),
  'brackets, a hundred thousand deep': () => new Response('['.repeat(100_000)),
  'half of an answer': () => new Response('{"id": "org/mod'),
  'a body that breaks off': () => new Response(broken('[{"type":')),
  'bytes that are no text': () => new Response(new Uint8Array([0xff, 0xfe, 0, 0xc3, 0x28])),
  'a text of two encodings': () => new Response(new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0])),
  'fields of a prototype': () => new Response('{"__proto__":{"sha":"a"},"constructor":{"name":"m"}}'),
  'the token in a refusal': () => new Response(`Authorization: Bearer ${token}`, { status: 403 }),
  'the token as what is missing': () => Response.json({ error: token }, { status: 404 }),
  'a wait without end': () => new Response('', { status: 429, headers: { 'retry-after': '1e999' } }),
  'a wait into the past': () => new Response('', { status: 429, headers: { 'retry-after': '-5' } }),
  'no revision, which nobody has named': () =>
    new Response('', { status: 404, headers: { 'x-error-code': 'RevisionNotFound' } }),
  'terms that were accepted': () =>
    new Response('', { status: 403, headers: { 'x-error-code': 'GatedRepo' } }),
  'a teapot': () => new Response('short and stout', { status: 418 }),
};

function sha(value: unknown): Answer {
  return () => Response.json({ id: 'org/model', sha: value, gated: false });
}

/** Facts about the model that cannot be. */
const infos: Readonly<Record<string, Answer>> = {
  'a list': () => Response.json([]),
  'no commit': sha(undefined),
  'a commit that is a path': sha('../../etc'),
  'a commit that is too short': sha('a'.repeat(39)),
  'a commit that is no hash': sha('g'.repeat(40)),
  'a commit of another alphabet': sha('а'.repeat(40)),
  'a commit with a line after it': sha(`${'a'.repeat(40)}\n`),
  'a commit in a list': sha(['a'.repeat(40)]),
  'a commit that is an object': sha({ length: 40 }),
};

function entry(changes: object): Answer {
  return () => Response.json([{ ...listed, ...changes }]);
}

function size(value: unknown): Answer {
  return entry({ size: value, lfs: { oid: hash, size: value } });
}

/** Lists of files that cannot be. */
const trees: Readonly<Record<string, Answer>> = {
  'an object': () => Response.json({ 0: listed, length: 1 }),
  'a list of nothings': () => Response.json([null]),
  'a list of lists': () => Response.json([[listed]]),
  'folders that are called like files': entry({ type: 'directory' }),
  'a file without a name': entry({ path: undefined }),
  'a name that is a number': entry({ path: 7 }),
  'a name in a list': entry({ path: ['m.gguf'] }),
  'a name that is an object': entry({ path: { toString: 'm.gguf' } }),
  'a name with half a character': entry({ path: '\ud800.gguf' }),
  'a folder with half a character': entry({ path: 'a\udc00/m.gguf' }),
  'a name with a zero': entry({ path: 'm\0.gguf' }),
  'a name of 600 characters': entry({ path: `${'a'.repeat(595)}.gguf` }),
  'a size below zero': size(-1),
  'a size that is no integer': size(0.5),
  'a size that is too large': size(1e99),
  'a size that is a text': size('100'),
  'a size in a list': size([100]),
  'no size': size(null),
  'a size that is not the file’s': size(file.length + 1),
  'no hash': entry({ lfs: { size: file.length } }),
  'a hash that is none': entry({ lfs: { oid: 'x'.repeat(64), size: file.length } }),
  'a hash that is too long': entry({ lfs: { oid: `${hash}0`, size: file.length } }),
  'a further page elsewhere': () => nextPage('https://evil.test/next'),
  'a further page in a file': () => nextPage('file:///etc/passwd'),
  'a further page nowhere': () => nextPage('https://['),
  'the same page again and again': ({ url }) => nextPage(url.href),
  'a hundred thousand files': () => Response.json(Array(100_000).fill(listed)),
};

function nextPage(address: string): Response {
  return Response.json([], { headers: { link: `<${address}>; rel="next"` } });
}

function ranged(contentRange: string): Answer {
  return ({ range }) => part(range, { 'content-range': contentRange });
}

/** Bytes that are not those of the file. */
const bytes: Readonly<Record<string, Answer>> = {
  'the whole file': () => new Response(new Uint8Array(file)),
  'a part that says not which': () => new Response(new Uint8Array(file), { status: 206 }),
  'another part': ranged(`bytes 5-${file.length - 1}/${file.length}`),
  'a part of nobody knows what': ranged('bytes 0-99/*'),
  'a part of more than there can be': ranged('bytes 0-99/999999999999999'),
  'a part in words': ranged('bytes all'),
  'a part below zero': ranged('bytes -5-9/100'),
  'a part of a file of no bytes': ranged('bytes 0-0/0'),
  'less than it says': ({ range }) => part(range, {}, file.subarray(0, 20)),
  zeros: ({ range }) => part(range, {}, Buffer.alloc(file.length)),
  'a web page as a part': ({ range }) => part(range, {}, Buffer.from('<!DOCTYPE html>'.padEnd(file.length))),
  'a list without end as a part': () =>
    new Response(endless('[1,'.repeat(10_000)), {
      status: 206,
      headers: { 'content-range': `bytes 0-${file.length - 1}/${file.length}` },
    }),
  'no such part': () => new Response('', { status: 416 }),
};

/** Asks for the model's card where one of the answers is `answer`; the error, and what was asked of whom. */
async function outcome(asked: Asked, answer: Answer) {
  const told: string[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers);
    if (headers.has('authorization')) told.push(url.origin);
    const about = url.pathname.includes('/tree/')
      ? 'tree'
      : url.pathname.includes('/resolve/')
        ? 'bytes'
        : 'info';
    if (url.host !== 'hub.test') return new Response('<!DOCTYPE html>');
    return (about === asked ? answer : honest[about])({ url, range: headers.get('range') });
  };
  const hub = createHub({ endpoint, token, fetch });
  const found = await resolveModel(hub, reference)
    .then((resolved) => inspectRemote(hub, resolved, observeWords))
    .catch((error: unknown) => error);
  return { found, told };
}

it('the honest answers, from which the others are made, are a model', async () => {
  const { found } = await outcome('info', honest.info);
  expect(found).toMatchObject({ supportsTools: true, size: file.length });
});

describe.each([
  ['info', { ...none, ...infos }],
  ['tree', { ...none, ...trees }],
  ['bytes', { ...none, ...bytes }],
] as const)('asked for the %s', (asked, answers) => {
  it.each(Object.entries(answers))('it answers with %s', async (_, answer) => {
    const { found, told } = await outcome(asked, answer);
    expect(found).toBeInstanceOf(IdiolectError);
    expect(inspect(found, { depth: 9 })).not.toContain(token);
    expect(String(found).length).toBeLessThan(1500);
    expect(new Set(told)).toEqual(new Set([endpoint]));
  });
});

it('pages without end are given up, empty ones too', async () => {
  let pages = 0;
  const { found } = await outcome('tree', ({ url }) => {
    pages += 1;
    return nextPage(`${url.origin}${url.pathname}?cursor=${pages}`);
  });
  expect(String(found)).toContain('pages without end');
  expect(pages).toBeLessThan(300);
});

it('an answer that unpacks to 80 MB is given up', async () => {
  const bomb = gzipSync(Buffer.alloc(80_000_000, ' '));
  const server = http.createServer((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' });
    response.end(bomb);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const hub = createHub({ endpoint: address, token: null });
  await expect(resolveModel(hub, reference)).rejects.toThrow('bytes about a model');
});
