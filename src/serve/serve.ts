/** Runs a handler as a server on this machine. */
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { checkOption, isRecord, type OptionRule } from '../format/option-rules.ts';
import { orTimeout } from './event-stream.ts';
import { createHandler, type Servable } from './handler.ts';
import type { HandlerOptions } from './handler-options.ts';
import { OpenConnections } from './open-connections.ts';

/** Options of `serve`: its address, and the options of `createHandler`. */
export interface ServeOptions extends HandlerOptions {
  /** Default: 8080. 0: any free port. */
  readonly port?: number;
  /** The address to listen on. Default: `127.0.0.1`, which only this machine can reach. */
  readonly host?: string;
  /** Certificate and key as PEM text: the server then speaks HTTPS. Default: HTTP. */
  readonly tls?: TlsIdentity;
}

/** How a server identifies itself. */
export interface TlsIdentity {
  /** The certificate, and those that it depends on. */
  readonly cert: string;
  readonly key: string;
}

/** A running server. */
export interface RunningServer {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  /** Accepts no new requests, finishes running ones (or aborts them when `signal` is), and ends. */
  close(signal?: AbortSignal): Promise<void>;
}

const identity: OptionRule = {
  expected: '{ cert, key }, both PEM text',
  allows: (value) => isRecord(value) && [value.cert, value.key].every((each) => typeof each === 'string'),
};

/** Names of this machine; a server for this machine is only addressed by them. */
const ownNames = ['127.0.0.1', 'localhost', '::1'];

/**
 * Serves models over HTTP. Throws `UnsupportedOptionError`, and errors of the operating system. Without keys, a server
 * for this machine only accepts this machine's names.
 */
export async function serve(models: Servable, given: ServeOptions = {}): Promise<RunningServer> {
  const { port = 8080, host = '127.0.0.1', tls, ...options } = given;
  checkOption('tls', tls, identity);
  const isLocal = ownNames.includes(host) || host.startsWith('127.');
  const hosts = options.hosts ?? (isLocal ? [...ownNames, host] : []);
  const handler = createHandler(models, { ...options, hosts });
  const listener = getRequestListener(handler);
  const server = tls === undefined ? createServer(listener) : createSecureServer({ ...tls }, listener);
  // Slow headers can hold a connection just like slow bodies.
  server.headersTimeout = options.bodyTimeoutMs ?? 30_000;
  const connections = new OpenConnections(server);
  await listen(server, port, host);
  const { address, family, port: found } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${family === 'IPv6' ? `[${address}]` : address}:${found}`,
    close: async (signal) => {
      const closed = new Promise<true>((resolve) => server.close(() => resolve(true)));
      await handler.close(signal);
      // Connections close when they have nothing left to send.
      while ((await orTimeout(closed, 50)) === null) {
        if (signal?.aborted === true) server.closeAllConnections();
        else connections.closeIdle();
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
