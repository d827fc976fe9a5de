/** Which of several servers a conversation asks first, and which in its place. */
import { sha256 } from '../format/sha256.ts';

/** A server with this many requests, and this many times the mean, is not given another one. */
const manyRequests = 8;
const timesTheMean = 1.25;

/** What the order depends on. */
interface OrderedServer {
  readonly connection: { readonly url: string };
  /** Number of responses that it is writing. */
  readonly running: number;
}

/**
 * The servers in the order in which a conversation asks them. Rendezvous hashing: every conversation has its own order,
 * so if a server fails, only its conversations move. Servers with far more requests than the others come last: they may
 * be slow.
 */
export function serverOrder<Server extends OrderedServer>(
  servers: readonly Server[],
  conversation: string,
): readonly Server[] {
  if (servers.length === 1) return servers;
  const mean = servers.reduce((sum, { running }) => sum + running, 0) / servers.length;
  const isBusy = ({ running }: Server): boolean => running >= Math.max(manyRequests, timesTheMean * mean);
  const order = byWeight(servers, conversation);
  return [...order.filter((server) => !isBusy(server)), ...order.filter(isBusy)];
}

function byWeight<Server extends OrderedServer>(
  servers: readonly Server[],
  conversation: string,
): readonly Server[] {
  // A conversation may begin with a book, which is read once.
  const digest = sha256(conversation);
  const weighed = servers.map((server) => ({
    server,
    weight: sha256(`${server.connection.url}\n${digest}`),
  }));
  return weighed.sort((one, other) => (one.weight < other.weight ? 1 : -1)).map(({ server }) => server);
}
