/** `fetch` through the proxy in the environment, as in curl, Python and huggingface_hub. */
import { MissingPackageError } from '../format/errors.ts';

/** The platform's `fetch` if there is no proxy; before Node 24 it does not read `HTTPS_PROXY` itself. */
export const environmentFetch: typeof fetch = async (input, init) => {
  const proxies = proxiesOf(process.env);
  if (proxies === null) return fetch(input, init);
  proxied ??= proxiedFetch(proxies);
  return (await proxied)(input, init);
};

let proxied: Promise<typeof fetch> | null = null;

/** The proxies for both protocols; `null` if there is none. Lower-case names take precedence, as in curl. */
export function proxiesOf(environment: NodeJS.ProcessEnv): Proxies | null {
  const named = (name: string): string => environment[name] || environment[name.toUpperCase()] || '';
  const httpProxy = named('http_proxy') || named('all_proxy');
  const httpsProxy = named('https_proxy') || named('all_proxy');
  return httpProxy === '' && httpsProxy === '' ? null : { httpProxy, httpsProxy, noProxy: named('no_proxy') };
}

/** Addresses of proxies; empty for none. */
export interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** undici's own `fetch` with its agent: the platform's only accepts agents of the same version. */
async function proxiedFetch(proxies: Proxies): Promise<typeof fetch> {
  const { EnvHttpProxyAgent, fetch: request } = await import('undici').catch((cause: unknown) => {
    throw new MissingPackageError({ packageName: 'undici', neededFor: 'a proxy (HTTPS_PROXY)', cause });
  });
  const dispatcher = new EnvHttpProxyAgent(proxies);
  const through = (input: string | URL, init: object): unknown => request(input, { ...init, dispatcher });
  return (input, init) => {
    const address = input instanceof Request ? input.url : input;
    // Both implement the same standard with different declarations.
    return through(address, init ?? {}) as Promise<Response>;
  };
}
