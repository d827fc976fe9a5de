/** What goes wrong with servers, in their own words or those of a proxy before them, and what to do about it. */
import { parseJson } from '../../format/json-values.ts';
import { isRecord } from '../../format/option-rules.ts';

/** What is known of a request that was refused. */
export interface Refusal {
  readonly status: number;
  /** Where the server is. */
  readonly base: string;
  /** It was sent a key. */
  readonly hasKey: boolean;
}

/** What `text`, an answer that is not what was asked for, says: an error, the name of a web page, or itself. */
export function wordsOf(text: string): string {
  const reason = reasonOf(parseJson(text));
  if (reason !== null) return reason;
  if (!isWebPage(text)) return text;
  const title = /<title[^>]*>([^<]{0,200})/i.exec(text)?.[1]?.trim() ?? '';
  return title === '' ? 'a web page' : `a web page (${title})`;
}

/** Whether `text` is HTML. */
export function isWebPage(text: string): boolean {
  return /^\s*<(?:!doctype|html)/i.test(text);
}

/** The servers' ways of saying what went wrong: `{ error: { message } }`, `{ error }`, `{ message }`, `{ detail }`. */
export function reasonOf(answer: unknown): string | null {
  if (!isRecord(answer)) return null;
  const { error = answer } = answer;
  if (typeof error === 'string') return error;
  if (!isRecord(error)) return null;
  const { message = error.detail } = error;
  if (message === undefined) return null;
  return typeof message === 'string' ? message : JSON.stringify(message);
}

/** What to do where a request is refused; `null` where the server's words have to do. */
export function adviceOn({ status, base, hasKey }: Refusal): string | null {
  if (status === 401 || status === 403) {
    return hasKey ? "is apiKey this server's key?" : "pass the server's key as apiKey";
  }
  if (status !== 404 && status !== 405) return null;
  return base.endsWith('/v1')
    ? 'leave the /v1 at the end of url out'
    : 'are kind, url and model those of this server?';
}

/** What to do about an answer that cannot be read. */
export function adviceOnAnswer(text: string): string {
  return isWebPage(text) ? 'is url the address of the server itself?' : 'is kind right?';
}

/** By the code of what made `fetch` fail, as Node names it. */
const adviceByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'is the server running?',
  ENOTFOUND: 'is the host in url right?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does the server speak http instead of https?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'does the server speak http instead of https?',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'set NODE_EXTRA_CA_CERTS to a file of certificates for Node to trust',
  SELF_SIGNED_CERT_IN_CHAIN: 'set NODE_EXTRA_CA_CERTS to a file of certificates for Node to trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'set NODE_EXTRA_CA_CERTS to a file of certificates for Node to trust',
};

/** What to do about something that `fetch` threw. */
export function adviceOnFailure(error: unknown): string | null {
  const cause: unknown = error instanceof Error ? error.cause : null;
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : null;
  return typeof code === 'string' && Object.hasOwn(adviceByCode, code) ? (adviceByCode[code] ?? null) : null;
}

/** `fetch` itself only says that it failed; its cause says why. */
export function messageOf(error: unknown): string {
  // Anything can be thrown, also what has no text.
  if (!(error instanceof Error))
    return typeof error === 'string' ? error : 'it threw something that is not an error';
  const { cause, message } = error;
  if (!(cause instanceof Error)) return message;
  const refused = 'code' in cause && cause.code === 'ECONNREFUSED';
  return refused ? 'the connection was refused' : `${message}: ${cause.message}`;
}
