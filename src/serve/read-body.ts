/** Reads the JSON of a request, with limits on size, time and depth. */
import { endOfString, exactForm, isExactObject, keepWritten } from '../format/exact-json.ts';
import { isObject, parseJson } from '../format/json-values.ts';
import { readBeginning } from '../format/limited-body.ts';
import { finishInTurns, type Steps } from '../language/expression/steps.ts';
import { invalid, RequestError } from './errors.ts';

/** The body of a request. */
export type Body = Readonly<Record<string, unknown>>;

/** Maximum depth of a request; functions that walk through values may recurse this far. */
const maxDepth = 200;
/** Maximum number of objects, arrays and separators: each costs many times its bytes. */
const maxValues = 250_000;
/** No API has as many fields. */
const maxFields = 1_000;
/** A body from this size on is read when it is its turn. */
const largeBytes = 256 * 1024;

/** Whether a request announces a body that must not be read at any time, or none of its size. */
export function isLarge({ headers }: Request): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > largeBytes;
}

/**
 * Reads the body. In its `messages`, which hold no numbers but those of calls, numbers are `JsonNumber` where JavaScript
 * would change them; schemas of tools are plain, and prompts show their numbers as they were written. Throws `RequestError`, also if a browser could have sent it without a preflight.
 */
export async function readJsonBody(
  request: Request,
  limits: { readonly maxBodyBytes: number; readonly bodyTimeoutMs: number },
): Promise<Body> {
  requireJson(request);
  return finishInTurns(readObject(await readText(request, limits)));
}

function* readObject(text: string): Steps<Body> {
  requireShallow(text);
  yield;
  const value = parseJson(text);
  if (value === undefined) throw invalid(null, 'the body is not JSON', 'invalid_json');
  if (!isObject(value)) throw invalid(null, 'the body must be a JSON object', 'invalid_json');
  if (Object.keys(value).length > maxFields)
    throw invalid(null, `the body has more than ${maxFields} fields`);
  yield;
  const written = exactForm(value, text);
  if (written === value || !isExactObject(written)) return value;
  keepWritten(value.tools, written.tools);
  return 'messages' in value ? { ...value, messages: written.messages } : value;
}

/** A page of any origin may send a form or plain text without a preflight, but not JSON. */
function requireJson({ headers }: Request): void {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw unsupportedMedia('the content-type must be application/json; curl sends it with --json');
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== '')
    throw unsupportedMedia(
      `a body in the encoding ${JSON.stringify(encoding)} is not read; send it as it is`,
    );
}

function unsupportedMedia(reason: string): RequestError {
  return new RequestError({ status: 415, reasonCode: 'unsupported_media_type', param: null, reason });
}

async function readText(
  request: Request,
  { maxBodyBytes, bodyTimeoutMs }: { readonly maxBodyBytes: number; readonly bodyTimeoutMs: number },
): Promise<string> {
  const tooLong = Number(request.headers.get('content-length') ?? 0) > maxBodyBytes;
  if (tooLong) throw tooLarge(maxBodyBytes);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const reason = `the body did not arrive within ${bodyTimeoutMs} ms`;
    const error = new RequestError({ status: 408, reasonCode: 'request_timeout', param: null, reason });
    timer = setTimeout(() => reject(error), bodyTimeoutMs);
  });
  try {
    const body = readBeginning(new Response(request.body), maxBodyBytes);
    const { bytes, complete } = await Promise.race([body, late]);
    if (!complete) throw tooLarge(maxBodyBytes);
    return decode(bytes);
  } finally {
    clearTimeout(timer);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid(null, 'the body is not UTF-8', 'invalid_json');
  }
}

function tooLarge(most: number): RequestError {
  const reason = `the body has more than ${most} bytes`;
  return new RequestError({ status: 413, reasonCode: 'request_too_large', param: null, reason });
}

/** JSON of any depth can be parsed, but not be processed recursively; of any number of values, but not for free. */
function requireShallow(text: string): void {
  let [depth, values] = [0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character !== ',') continue;
    values += 1;
    if (values > maxValues) throw invalid(null, `the body has more than ${maxValues} values`);
    if (depth > maxDepth) throw invalid(null, `the body is nested more than ${maxDepth} levels deep`);
  }
}
