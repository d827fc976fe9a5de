/** What clients and agents were recorded to send, through our gateway before the server that is judged. */

import { createHandler } from '../../src/serve/index.ts';
import { connectServer, type ServerOptions } from '../../src/servers/index.ts';
import { recordedRequests, wrongWith } from '../../test/conformance/serve-requests.ts';

/** Requests at once. */
const atOnce = 8;

/**
 * Sends all requests of `folder`, and tells what is wrong: refused though clients expect an answer, an answer that a
 * client cannot read, a call that its schema does not allow. `limit`: tokens of each response at most.
 */
export async function judgeClients(
  options: ServerOptions,
  folder: string,
  limit: number,
): Promise<{ readonly requests: number; readonly wrong: number }> {
  const model = await connectServer({ ...options, fetch: withFewerTokens(limit) });
  const handlers = (['strict', 'degrade'] as const).map((policy) => createHandler(model, { policy }));
  const requests = recordedRequests(folder);
  const open = requests.flatMap((request) => handlers.map((handler) => ({ request, handler })));
  const sent = open.length;
  let wrong = 0;
  const work = async (): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const { request, handler } = next;
      const reason = await wrongWith(handler, request, { mayLack: true }).catch(String);
      if (reason === null) continue;
      wrong += 1;
      console.log(`${request.name}: ${reason.slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { requests: sent, wrong };
}

/** Most clients leave the length of a response to the model, and one of random weights never ends. */
function withFewerTokens(limit: number): typeof fetch {
  return (address, init) => {
    if (!String(address).endsWith('completions') || typeof init?.body !== 'string')
      return fetch(address, init);
    const body = JSON.parse(init.body);
    const max_tokens = Math.min(limit, body.max_tokens ?? limit);
    return fetch(address, { ...init, body: JSON.stringify({ ...body, max_tokens }) });
  };
}
