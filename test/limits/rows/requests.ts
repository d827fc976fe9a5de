/** Limits of what clients, servers and models send. */
import { createResponseParser } from '../../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import { ServerError } from '../../../src/format/errors.ts';
import { finish } from '../../../src/language/expression/steps.ts';
import type { ResponseMessage } from '../../../src/parser/events.ts';
import { JsonScanner } from '../../../src/parser/json/json-scanner.ts';
import { beginsSet } from '../../../src/parser/json/json-tokens.ts';
import { keyEnd } from '../../../src/parser/steps/values/value-closer.ts';
import { decodeBuffered } from '../../../src/parser/steps/values/value-modes.ts';
import { limitArguments } from '../../../src/serve/body/argument-limits.ts';
import { parseInSteps } from '../../../src/serve/body/parse-in-steps.ts';
import { readJsonBody } from '../../../src/serve/read-body.ts';
import { embeddings } from '../../../src/serve/texts/embeddings.ts';
import { rerank } from '../../../src/serve/texts/rerank.ts';
import { connectServer } from '../../../src/servers/index.ts';
import { pauseAfter } from '../../../src/servers/retry.ts';
import { everyPosition, parsePieces } from '../../support/parse-pieces.ts';
import { jsonInTags, tagged } from '../../support/sample-formats.ts';
import { ends, type Rows } from '../source-limits.ts';

const isRead = (json: string) => ends(() => finish(parseInSteps(Buffer.from(json))));

async function isBody(json: string): Promise<boolean> {
  const headers = { 'content-type': 'application/json' };
  const request = new Request('http://127.0.0.1/', { method: 'POST', headers, body: json });
  try {
    await readJsonBody(request, { maxBodyBytes: 1 << 20, bodyTimeoutMs: 10_000 });
    return true;
  } catch {
    return false;
  }
}

/** The message of a text, which is the same unit by unit. */
function read(format: ChatFormat, text: string): ResponseMessage {
  const { message } = parsePieces(format, text, []);
  const cut = parsePieces(format, text, everyPosition(text)).message;
  if (JSON.stringify(cut) !== JSON.stringify(message)) throw new Error('a text reads otherwise in pieces');
  return message;
}

/** A value is scanned to its end, whole and in two pieces. */
function isScanned(json: string): boolean {
  return [json.length, json.length >> 1].every((cut) => {
    const scanner = new JsonScanner();
    scanner.scan(json.slice(0, cut), 0);
    if (scanner.status === 'open') scanner.scan(`${json.slice(cut)} `, 0);
    return scanner.status === 'done';
  });
}

const texts = (size: number) => Array<string>(size).fill('a');
const scalars = new Set(['string', 'number'] as const);

export const requestRows: Rows = {
  'serve/body/argument-limits.ts maxArguments': (size) => {
    const call = { type: 'function_call', arguments: `"${'a'.repeat(size - 2)}"` };
    return ends(() => finish(limitArguments([call], 'input')));
  },
  'serve/body/parse-in-steps.ts maxDepth': (size) => isRead(`${'['.repeat(size)}${']'.repeat(size)}`),
  'serve/body/parse-in-steps.ts maxValues': (size) => isRead(`[${'1,'.repeat(size - 2)}1]`),
  'serve/body/parse-in-steps.ts maxNumber': (size) => isRead(`[${'1'.repeat(size)}]`),
  'serve/read-body.ts maxFields': (size) =>
    isBody(JSON.stringify(Object.fromEntries(texts(size).map((_, at) => [`a${at}`, 1])))),
  'serve/texts/embeddings.ts maxTexts': (size) => embeddings.fields.input?.allows(texts(size)) === true,
  'serve/texts/rerank.ts maxDocuments': (size) =>
    ['documents', 'texts'].every((field) => rerank.fields[field]?.allows(texts(size)) === true),
  'servers/server-connection.ts maxReason': async (size) => {
    const fetch = async () => new Response('a'.repeat(size), { status: 400 });
    const reason = await connectServer({ kind: 'vllm', url: 'http://127.0.0.1:1', fetch, retries: 0 }).then(
      () => '',
      (error: ServerError) => error.reason,
    );
    return reason.length === size;
  },
  'servers/retry.ts maxRetryAfterMs': (retryAfterMs) => {
    const facts = { url: 'http://127.0.0.1', reason: 'busy', transient: true, retryAfterMs };
    return pauseAfter(new ServerError(facts), 0) !== null;
  },
  'parser/json/json-scanner.ts maxDepth': (size) => isScanned(`${'['.repeat(size)}${']'.repeat(size)}`),
  'parser/json/json-scanner.ts maxToken': (size) => isScanned('1'.repeat(size)),
  'parser/module-parser.ts maxNames': (size) => {
    const tools = texts(size).map((_, at) => ({ type: 'function', function: { name: `t${at}` } }) as const);
    const parser = createResponseParser(jsonInTags, { tools });
    parser.feed('<use>\n{"name": "other", "arguments": {}}\n</use>');
    return !JSON.stringify(parser.finish().message).includes(' and ');
  },
  'parser/markers/white-space.ts maxPause': (size) =>
    read(
      jsonInTags,
      `<muse>\nhm\n</muse>\n\n${' '.repeat(size)}<use>\n{"name": "f", "arguments": {}}\n</use>`,
    ).content === null,
  'parser/steps/steps-hole.ts maxHole': (size) =>
    read(tagged, `<use>\n<fn=${'f'.repeat(size)}>\n</fn>\n</use>`).tool_calls?.length === 1,
  'parser/steps/values/value-closer.ts maxKey': (size) => keyEnd(`${'a'.repeat(size)}=`, 0, false) === size,
  'parser/json/json-tokens.ts maxItem': (size) => beginsSet(`{"${'a'.repeat(size - 3)}",`, false) === true,
  'parser/steps/values/value-modes.ts maxScalar': (size) =>
    decodeBuffered('1'.repeat(size), scalars, 'any').json === '1'.repeat(size),
};
