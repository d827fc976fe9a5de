/** Access control: API keys, host names of the server, origins of pages. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { RequestError } from './errors.ts';

/** If no key is required, all clients are one caller. */
const anybody = 'anybody';

/** Checks keys in constant time. */
export class KeyCheck {
  readonly #digests: readonly Buffer[];

  constructor(keys: readonly string[]) {
    this.#digests = keys.map(digest);
  }

  /** Identifies the caller by a digest of the key. Throws `RequestError` (401). */
  caller({ headers }: Request): string {
    if (this.#digests.length === 0) return anybody;
    const bearer = /^Bearer\s+(\S.*)$/i.exec(headers.get('authorization') ?? '')?.[1];
    const given = [headers.get('x-api-key'), bearer].flatMap((key) => (key == null ? [] : [digest(key)]));
    // All of them are compared, so the time does not depend on which one matches.
    const right = given.filter(
      (key) => this.#digests.filter((known) => timingSafeEqual(known, key)).length > 0,
    );
    if (right[0] !== undefined) return right[0].toString('hex');
    const reason = `${given.length === 0 ? 'a key is needed' : 'the key is wrong'}: send it as Authorization: Bearer, or as x-api-key`;
    throw new RequestError({ status: 401, reasonCode: 'invalid_api_key', param: null, reason });
  }
}

/** Digests have the same length, whatever the keys are. */
function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/**
 * Rejects a request to a host name that is not the server's: otherwise a page whose own name resolves to this machine
 * could call it as its own server. Throws `RequestError` (403).
 */
export function requireHost(request: Request, hosts: readonly string[]): void {
  if (hosts.length === 0) return;
  const { hostname } = new URL(request.url);
  if (hosts.includes(hostname.replace(/^\[|\]$/g, ''))) return;
  const reason = `this server is not called ${JSON.stringify(hostname)}; allow the name with hosts (--allow-host)`;
  throw new RequestError({ status: 403, reasonCode: 'unknown_host', param: null, reason });
}

/** Headers of answers that a page of another origin may read. */
export const ownHeaders = ['idiolect-ignored', 'retry-after', 'x-request-id', 'request-id'] as const;

/** The origin to allow in the response; `localhost` stands for all of this machine. */
export function allowedOrigin(origin: string, allowed: readonly string[]): string | null {
  if (allowed.includes('*')) return '*';
  if (allowed.includes(origin)) return origin;
  return allowed.includes('localhost') && isOfThisMachine(origin) ? origin : null;
}

function isOfThisMachine(origin: string): boolean {
  return /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin);
}
