/**
 * The connections of a server, and which of them have a request. Node closes idle ones only after their first request:
 * one that never sent any would keep a server from ending.
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The open connections of one server. */
export class OpenConnections {
  readonly #sockets = new Map<string, Socket>();
  readonly #running = new Map<string, number>();

  constructor(server: Server) {
    // Before encryption, where there is any.
    server.on('connection', (socket: Socket) => {
      const name = nameOf(socket);
      this.#sockets.set(name, socket);
      // The next connection may have its port before it says that it has closed.
      socket.once('close', () => {
        if (this.#sockets.get(name) === socket) this.#sockets.delete(name);
      });
    });
    server.prependListener('request', ({ socket }, response: ServerResponse) => {
      const name = nameOf(socket);
      this.#count(name, 1);
      response.once('close', () => this.#count(name, -1));
    });
  }

  /** Closes the connections without a request whose response is still being written. */
  closeIdle(): void {
    for (const [name, socket] of this.#sockets) if (!this.#running.has(name)) socket.destroy();
  }

  #count(name: string, more: number): void {
    const count = (this.#running.get(name) ?? 0) + more;
    if (count > 0) this.#running.set(name, count);
    else this.#running.delete(name);
  }
}

/** Unique among the open connections to one address. */
function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
