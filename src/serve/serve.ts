/** A handler as a server of this machine. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { orTimeout } from './event-stream.ts';
import { createHandler, type Servable } from './handler.ts';
import type { HandlerOptions } from './handler-options.ts';

/** Options of `serve`: where it listens, and those of `createHandler`. */
export interface ServeOptions extends HandlerOptions {
  /** Default: 8080. 0: any that is free. */
  readonly port?: number;
  /** The address to listen at. Default: `127.0.0.1`, so that only this machine gets in. */
  readonly host?: string;
}

/** A server that listens. */
export interface RunningServer {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** Takes no new requests, finishes those that run (or gives them up, once `signal` says so), and ends. */
  close(signal?: AbortSignal): Promise<void>;
}

/** Names of this machine, under which alone a server for it is asked for. */
const ownNames = ['127.0.0.1', 'localhost', '::1'];

/**
 * Serves models over HTTP. Throws `UnsupportedOptionError`, and what the operating system says of the port. Without
 * keys, a server for this machine alone answers only to this machine's names.
 */
export async function serve(models: Servable, given: ServeOptions = {}): Promise<RunningServer> {
  const { port = 8080, host = '127.0.0.1', ...options } = given;
  const isLocal = ownNames.includes(host) || host.startsWith('127.');
  const hosts = options.hosts ?? (isLocal ? [...ownNames, host] : []);
  const handler = createHandler(models, { ...options, hosts });
  const server = createServer(getRequestListener(handler));
  // Slow heads are as good a way to hold a connection as slow bodies.
  server.headersTimeout = options.bodyTimeoutMs ?? 30_000;
  await listen(server, port, host);
  const { address, family, port: found } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${found}`,
    close: async (signal) => {
      const closed = new Promise<true>((resolve) => server.close(() => resolve(true)));
      await handler.close(signal);
      // Connections close as they have nothing left to send.
      while ((await orTimeout(closed, 50)) === null) {
        if (signal?.aborted === true) server.closeAllConnections();
        else server.closeIdleConnections();
      }
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
