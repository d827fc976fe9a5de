/** Describes failures of servers in the words of the server or a proxy, with advice. */
import { codeOf } from '../format/error-class.ts';
import { parseJson } from '../format/json-values.ts';
import { isRecord } from '../format/option-rules.ts';

/** Facts of a refused request. */
interface Refusal {
  readonly status: number;
  /** The server's address. */
  readonly base: string;
  /** Whether it was sent a key. */
  readonly hasKey: boolean;
}

/** What an unexpected answer says: its error, the title of a web page, or the text itself. */
export function wordsOf(text: string): string {
  const reason = reasonOf(parseJson(text));
  if (reason !== null) return reason;
  return isWebPage(text) ? pageWords(text) : text;
}

/** An answer that is not understood. Of one that may be a response, which is nobody's to log, only the length. */
export function unexpectedAnswer(text: string): string {
  const words = reasonOf(parseJson(text)) ?? (isWebPage(text) ? pageWords(text) : null);
  return `an unexpected answer${words === null ? ` of ${text.length} characters` : `: ${words}`}`;
}

function pageWords(text: string): string {
  const title = /<title[^>]{0,200}>([^<]{0,200})/i.exec(text)?.[1]?.trim() ?? '';
  return title === '' ? 'a web page' : `a web page (${title})`;
}

/** Whether `text` is HTML. */
function isWebPage(text: string): boolean {
  return /^\s*<(?:!doctype|html)/i.test(text);
}

/** The servers' notations for errors: `{ error: { message } }`, `{ error }`, `{ message }`, `{ detail }`. */
export function reasonOf(answer: unknown): string | null {
  if (!isRecord(answer)) return null;
  const { error = answer } = answer;
  if (typeof error === 'string') return error;
  if (!isRecord(error)) return null;
  const { message = error.detail } = error;
  if (message === undefined) return null;
  return typeof message === 'string' ? message : JSON.stringify(message);
}

/** Advice for a refused request; `null` if the server's words must suffice. */
export function adviceOn({ status, base, hasKey }: Refusal): string | null {
  if (status === 401 || status === 403) {
    return hasKey ? "is apiKey this server's key?" : "pass the server's key as apiKey";
  }
  if (status !== 404 && status !== 405) return null;
  return base.endsWith('/v1')
    ? 'leave the /v1 at the end of url out'
    : 'are kind, url and model those of this server?';
}

/** Advice for an unreadable answer. */
export function adviceOnAnswer(text: string): string {
  return isWebPage(text) ? 'is url the address of the server itself?' : 'is kind right?';
}

/** By Node's error code of the failed `fetch`. */
const adviceByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'is the server running?',
  ENOTFOUND: 'is the host in url right?',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does the server speak http instead of https?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'does the server speak http instead of https?',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'set NODE_EXTRA_CA_CERTS to a file of certificates for Node to trust',
  SELF_SIGNED_CERT_IN_CHAIN: 'set NODE_EXTRA_CA_CERTS to a file of certificates for Node to trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'set NODE_EXTRA_CA_CERTS to a file of certificates for Node to trust',
};

/** Advice for an error of `fetch`. */
export function adviceOnFailure(error: unknown): string | null {
  const cause: unknown = error instanceof Error ? error.cause : null;
  const code = codeOf(cause);
  return code !== null && Object.hasOwn(adviceByCode, code) ? (adviceByCode[code] ?? null) : null;
}

/** `fetch` itself only reports that it failed; its cause says why. */
export function messageOf(error: unknown): string {
  // Anything can be thrown, even values that cannot be converted to text.
  if (!(error instanceof Error))
    return typeof error === 'string' ? error : 'it threw something that is not an error';
  const { cause, message } = error;
  if (!(cause instanceof Error)) return message;
  return codeOf(cause) === 'ECONNREFUSED' ? 'the connection was refused' : `${message}: ${cause.message}`;
}
