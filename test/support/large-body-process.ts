/**
 * A process that reads four bodies of 30 MB, one after the other, as a server does, and writes by how many megabytes
 * the most memory that it ever took grew. Argument: what the bodies hold.
 */
import fs from 'node:fs';
import { readJsonBody } from '../../src/serve/read-body.ts';

const size = 30_000_000;

/** What a body begins with, its middle in pieces, and its end: here it is nowhere whole. */
interface Body {
  readonly head: string;
  readonly piece: (index: number) => string;
  readonly tail: string;
}

const chat = (unit: string): Body => {
  const piece = unit.repeat(65_000 / unit.length);
  return { head: '{"messages":[{"role":"user","content":"', piece: () => piece, tail: '"}]}' };
};
const bodies: Readonly<Record<string, Body>> = {
  'a text': chat('The weather in Bern is fine today, and tomorrow as well. '),
  'a text that is not ASCII': chat('Schöne Grüße aus Zürich. '),
  escapes: chat('\\u0041'),
  'many fields': { head: '{', piece: (index) => `"f${index}":"${'x'.repeat(33_000)}",`, tail: '"last":0}' },
};

/** As Node brings it: in pieces that nobody else holds. */
function requestOf({ head, piece, tail }: Body, count: number): Request {
  const encoder = new TextEncoder();
  let at = -1;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(encoder.encode(at < 0 ? head : at < count ? piece(at) : tail));
      at += 1;
      if (at > count) controller.close();
    },
  });
  const headers = { 'content-type': 'application/json' };
  return new Request('http://localhost/', { method: 'POST', headers, body, duplex: 'half' });
}

/** On Linux not `maxRSS`, which begins with that of the process that started this one. */
function highest(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS / 1000;
  return Number(/^VmHWM:\s*(\d+)/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1000;
}

const limits = { maxBodyBytes: 2 ** 25, bodyTimeoutMs: 60_000 };
const body = bodies[process.argv[2] ?? ''];
if (body === undefined) throw new RangeError('there is no such body');
await readJsonBody(requestOf(body, 1), limits);
const before = highest();
const count = Math.floor(size / new TextEncoder().encode(body.piece(0)).length);
for (let times = 0; times < 4; times += 1) await readJsonBody(requestOf(body, count), limits);
process.stdout.write(String(highest() - before));
