/** Two replicas of which one fails: a relay to the server that is cut off, is slow, or comes back. */

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { connectServer, type ServerModel, type ServerOptions } from '../../src/servers/index.ts';
import { ownQuestions } from '../judge-models/questions/asked.ts';

const { tools, questions } = ownQuestions;

/** Something that stands for a replica: it passes bytes on, or does not. */
class Relay {
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #server: Server | null = null;
  #port = 0;
  /** Milliseconds by which each piece of an answer is late. */
  delayMs = 0;

  constructor(target: string) {
    this.#target = new URL(target);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    const server = createServer((client) => this.#pass(client));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** As SIGKILL ends a process. */
  kill(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #pass(client: Socket): void {
    const { hostname, port } = this.#target;
    const server = connect(Number(port) || 80, hostname);
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.on('error', end).on('close', () => {
        this.#sockets.delete(socket);
        end();
      });
    }
    client.pipe(server);
    server.on('data', (piece) => void setTimeout(() => client.write(piece), this.delayMs));
  }
}

/** What came of the requests of one story. */
export interface Story {
  readonly requests: number;
  readonly failed: number;
  readonly seconds: number;
}

/** Runs the stories; `options` are those of the model, without its address. */
export async function judgeFailures(
  url: string,
  options: Omit<ServerOptions, 'url'>,
): Promise<Readonly<Record<string, Story>>> {
  const relays = [new Relay(url), new Relay(url)];
  for (const relay of relays) await relay.start();
  const [first, second] = relays;
  if (first === undefined || second === undefined) throw new RangeError('two relays');
  const model = await connectServer({ ...options, url: relays.map((relay) => relay.url) });
  const stories = {
    'one of two is killed under 8 requests, whole': await story(model, 8, 'whole', async () => first.kill()),
    'the same, streamed, while the first is back': await story(model, 8, 'streamed', async () => {
      await first.start();
      second.kill();
    }),
    'rolling restart of both under 16 requests': await story(model, 16, 'streamed', async () => {
      await second.start();
      await pause(1500);
      first.kill();
      await pause(1500);
      await first.start();
      await pause(2500);
      second.kill();
      await pause(1500);
      await second.start();
    }),
    'one of two is slow, 8 requests': await story(model, 8, 'streamed', async () => {
      first.delayMs = 300;
    }),
  };
  for (const relay of relays) relay.kill();
  return stories;
}

async function story(
  model: ServerModel,
  requests: number,
  how: 'whole' | 'streamed',
  happen: () => Promise<void>,
): Promise<Story> {
  const begun = performance.now();
  const answers = Array.from({ length: requests }, async (_, index) => {
    const content = `${questions[index % questions.length]?.text} (${how}, ${index})`;
    const chat = model.chat({ messages: [{ role: 'user', content }], tools, maxTokens: 120, seed: index });
    if (how === 'streamed') for await (const _event of chat);
    return chat.message;
  });
  const happening = pause(700).then(happen);
  const ended = await Promise.allSettled(answers);
  await happening;
  for (const each of ended) if (each.status === 'rejected') console.log(String(each.reason));
  const failed = ended.filter(({ status }) => status === 'rejected').length;
  return { requests, failed, seconds: (performance.now() - begun) / 1000 };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
