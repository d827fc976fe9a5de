/** A vLLM over HTTP without a model: it tokenises words, and writes one scripted response, from wherever a prompt ends. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text as readAll } from 'node:stream/consumers';

/** A question that came. */
export interface StandInRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface StandInOptions {
  readonly chatTemplate: string;
  /** What it writes, in pieces. */
  readonly response: readonly string[];
  /** Whether it tells its tokenizer. Default: true. */
  readonly tellsTokenizer?: boolean;
  /** Milliseconds between two pieces. Default: 0. */
  readonly pieceMs?: number;
}

/** The end of a prompt, after which the response begins. */
const promptEnd = /^.*<\|im_start\|>assistant\n(?:<think>\s*<\/think>\s*)?/s;
const specialTexts = ['<|im_start|>', '<|im_end|>'];

/** See the top of this file. */
export class StandInServer {
  readonly requests: StandInRequest[] = [];
  readonly #options: StandInOptions;
  readonly #texts: string[] = [];
  readonly #ids = new Map<string, number>();
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((request, response) => {
    void readAll(request).then((sent) => {
      const body = sent === '' ? {} : JSON.parse(sent);
      this.requests.push({ path: request.url ?? '', body });
      return this.#answer(request.url ?? '', body, response);
    });
  });
  #port = 0;
  /** Ends when it may write on. */
  #held = Promise.resolve();

  constructor(options: StandInOptions) {
    this.#options = options;
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts it, the second time where it was. */
  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** As SIGKILL ends a process: nothing more is sent, and nothing is accepted. */
  async kill(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Makes it write nothing from now on, though it is there; what is returned makes it go on. */
  hold(): () => void {
    let release = (): void => undefined;
    this.#held = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  }

  /** The requests to a path. */
  asked(path: string): readonly StandInRequest[] {
    return this.requests.filter((each) => each.path === path);
  }

  async #answer(path: string, body: StandInRequest['body'], response: ServerResponse): Promise<void> {
    const { chatTemplate, tellsTokenizer = true } = this.#options;
    const tokenizer = {
      tokenizer_class: 'StandIn',
      chat_template: chatTemplate,
      eos_token: '<|im_end|>',
      added_tokens_decoder: Object.fromEntries(specialTexts.map((text, index) => [index, text])),
    };
    if (path === '/v1/completions') return this.#complete(body.prompt as readonly number[], response);
    const answers: Readonly<Record<string, object | undefined>> = {
      '/v1/models': { data: [{ id: 'stand-in', max_model_len: 8192 }] },
      '/version': { version: '0.32.0' },
      '/tokenizer_info': tellsTokenizer ? tokenizer : undefined,
      '/tokenize': path === '/tokenize' ? this.#tokenize(String(body.prompt)) : undefined,
    };
    const answer = answers[path];
    if (answer === undefined) response.writeHead(404);
    response.end(JSON.stringify(answer ?? { detail: 'Not Found' }));
  }

  #tokenize(text: string): object {
    const texts = text.match(/<\|?[/\w]+\|?>|\w{1,4}|\s|[^\w\s]{1,3}/g) ?? [];
    return { tokens: texts.map((each) => this.#idOf(each)), token_strs: texts };
  }

  #idOf(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    this.#ids.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  async #complete(prompt: readonly number[], response: ServerResponse): Promise<void> {
    const { response: pieces, pieceMs = 0 } = this.#options;
    const text = prompt.map((id) => this.#texts[id]).join('');
    const written = text.replace(promptEnd, '');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    // The first token of a real one may be half a character.
    response.write('data: {"choices":[{"text":"","finish_reason":null,"token_ids":[1]}]}\n\n');
    let done = '';
    for (const piece of [...pieces, '']) {
      const rest = (done + piece).slice(Math.max(done.length, written.length));
      const finish = piece === '' ? 'stop' : null;
      done += piece;
      if (rest === '' && finish === null) continue;
      await new Promise((resolve) => setTimeout(resolve, pieceMs));
      await this.#held;
      if (response.destroyed) return;
      response.write(
        `data: ${JSON.stringify({ choices: [{ text: rest, finish_reason: finish, token_ids: [1] }] })}\n\n`,
      );
    }
    response.end('data: [DONE]\n\n');
  }
}
