/** The addresses of the server. */
import { getPathNoStrict } from 'hono/utils/url';

/** What clients put before `/v1`, once or several times, because their users gave it to them as part of an address. */
const prefixes = /^(?:\/(?:v1|api|openai|anthropic))+(?=\/v1(?:\/|$))/;

/** The path that a request means: without a doubled or foreign prefix, or a slash at the end. */
export function pathOf(request: Request): string {
  return getPathNoStrict(request).replace(prefixes, '');
}

/** Also serves clients whose base address ends before `/v1`. */
export function withShortForm(path: string): string[] {
  return path.startsWith('/v1/') ? [path, path.slice('/v1'.length)] : [path];
}
