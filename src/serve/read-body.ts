/** Reads the JSON of a request, with limits on size, time and depth. */
import { isExactObject, keepWritten } from '../format/exact-json.ts';
import { isObject } from '../format/json-values.ts';
import { finishInTurns, type Steps } from '../language/expression/steps.ts';
import { limitArguments } from './body/argument-limits.ts';
import { type BodyLimits, readBodyBytes } from './body/body-bytes.ts';
import { parseInSteps } from './body/parse-in-steps.ts';
import { invalid, RequestError } from './errors.ts';

/** The body of a request. */
export type Body = Readonly<Record<string, unknown>>;

/** No API has as many fields. */
const maxFields = 1_000;
/** Fields with earlier calls. */
const conversations = ['messages', 'input'] as const;
/** A body from this size on is read when it is its turn. */
const largeBytes = 256 * 1024;

/** Whether a request announces a body that must not be read at any time, or none of its size. */
export function isLarge({ headers }: Request): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > largeBytes;
}

/**
 * Reads the body. In its `messages`, which hold no numbers but those of calls, numbers are `JsonNumber` where JavaScript
 * would change them; schemas of tools are plain, and prompts show their numbers as they were written.
 * `large` tells how many wait until a large body is read. Throws `RequestError`, also if a browser could have sent it without a preflight.
 */
export async function readJsonBody(
  request: Request,
  limits: BodyLimits,
  large: { readonly queued: number } = { queued: 0 },
): Promise<Body> {
  requireJson(request);
  const isInTheWay = isLarge(request);
  const body = await readBodyBytes(request, limits, () => isInTheWay && large.queued > 0);
  try {
    return await finishInTurns(readObject(body.bytes));
  } finally {
    body.release();
  }
}

function* readObject(bytes: Buffer): Steps<Body> {
  const { value, written } = yield* parseInSteps(bytes);
  if (!isObject(value)) throw invalid(null, 'the body must be a JSON object', 'invalid_json');
  if (Object.keys(value).length > maxFields)
    throw invalid(null, `the body has more than ${maxFields} fields`);
  for (const field of conversations) yield* limitArguments(value[field], field);
  if (written === value || !isExactObject(written)) return value;
  yield* keepWritten(value.tools, written.tools);
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
