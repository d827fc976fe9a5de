/**
 * A server with a vision model, in the words of llama-server, vLLM or SGLang: it refuses whatever these do not know or
 * want otherwise (`tools/server/README.md` of llama.cpp; `ChatCompletionRequest` of the others), tells what its model
 * would see, and writes one scripted response.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { z } from 'zod';
import type { ServerKind } from '../../src/servers/index.ts';

export interface PictureServerOptions {
  readonly kind: ServerKind;
  readonly chatTemplate: string;
  /** What it writes, in pieces. */
  readonly response: readonly string[];
  /** Whether it says that its model sees pictures. Default: true. */
  readonly vision?: boolean;
  /** Fields of each piece of a chat, in place of those with a text. Default: none. */
  readonly delta?: (text: string) => object;
}

/** A request for a response, read as the server reads it. */
export interface SeenRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Bytes of each picture, in the order of the prompt. */
  readonly pictures: readonly string[];
}

const contextSize = 4096;
const specials = ['<|im_start|>', '<|im_end|>'];
const pngBegins = 'iVBORw0KGgo';
const picture = z.string().startsWith(pngBegins, 'Failed to load image or audio file');

const sampling = {
  stream: z.literal(true),
  temperature: z.number(),
  top_k: z.int(),
  top_p: z.number(),
  min_p: z.number(),
  stop: z.array(z.string()),
  seed: z.int().optional(),
};

const marked = z.strictObject({ prompt_string: z.string(), multimodal_data: z.array(picture) });

const llamaBody = z.strictObject({
  ...sampling,
  prompt: z.union([z.array(z.int()), marked]),
  cache_prompt: z.boolean(),
  timings_per_token: z.boolean(),
  n_predict: z.int().min(-1),
  preserved_tokens: z.array(z.string()),
  grammar: z.string().optional(),
  repeat_penalty: z.number().optional(),
});

const textPart = z.strictObject({ type: z.literal('text'), text: z.string() });
const imagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string().startsWith(`data:image/png;base64,${pngBegins}`) }),
});
const texts = z.union([z.string(), z.array(textPart)]);
const call = z.strictObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.enum(['system', 'developer']), content: texts }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.union([textPart, imagePart]))]),
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: texts.nullable(),
    reasoning_content: z.string().optional(),
    tool_calls: z.array(call).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), content: texts, tool_call_id: z.string() }),
]);
const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string(),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
  }),
});
const tag = z.strictObject({ type: z.literal('structural_tag'), format: z.record(z.string(), z.unknown()) });

const chat = {
  ...sampling,
  model: z.string(),
  messages: z.array(message),
  tools: z.array(tool).optional(),
  chat_template_kwargs: z.record(z.string(), z.unknown()).optional(),
  max_tokens: z.int().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean(), continuous_usage_stats: z.boolean() }),
  skip_special_tokens: z.literal(false),
  spaces_between_special_tokens: z.boolean(),
  return_token_ids: z.boolean(),
};

const chatBodies = {
  // Without --enable-auto-tool-choice, vLLM refuses `auto`.
  vllm: z.strictObject({
    ...chat,
    tool_choice: z.literal('none'),
    structured_outputs: z
      .strictObject({ structural_tag: z.string().transform((text) => tag.parse(JSON.parse(text))) })
      .optional(),
  }),
  // With `none`, SGLang does not show the tools.
  sglang: z.strictObject({
    ...chat,
    separate_reasoning: z.literal(false),
    response_format: tag.optional(),
  }),
} as const;

export class PictureServer {
  readonly asked: SeenRequest[] = [];
  readonly #options: PictureServerOptions;
  readonly #texts: string[] = [];
  #marker = '<__media_0__>';
  readonly #server = createServer((request, response) => {
    void readAll(request).then((sent) => {
      const body: Readonly<Record<string, unknown>> = sent === '' ? {} : JSON.parse(sent);
      try {
        this.#answer(request.url ?? '', body, response);
      } catch (error) {
        response.writeHead(400).end(JSON.stringify({ error: { message: String(error) } }));
      }
    });
  });

  constructor(options: PictureServerOptions) {
    this.#options = options;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The marker of a process. */
  get marker(): string {
    return this.#marker;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  /** Every process of llama-server has another marker. */
  restart(): void {
    this.#marker = `<__media_${this.asked.length + 1}__>`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(path: string, body: SeenRequest['body'], response: ServerResponse): void {
    if (path === '/completion') this.#complete(path, body, response);
    else if (path === '/v1/completions') this.#continue(path, body, response);
    else if (path === '/v1/chat/completions') this.#chat(path, body, response);
    else this.#tell(path, body, response);
  }

  #tell(path: string, body: SeenRequest['body'], response: ServerResponse): void {
    const { kind, vision = true, chatTemplate } = this.#options;
    const answers: Readonly<Record<string, object | undefined>> = {
      '/props': {
        default_generation_settings: { n_ctx: contextSize },
        chat_template: chatTemplate,
        bos_token: '<|endoftext|>',
        eos_token: '<|im_end|>',
        modalities: { vision, audio: false },
        media_marker: this.#marker,
      },
      '/v1/models': { data: [{ id: 'seeing', max_model_len: contextSize }] },
      '/version': { version: '0.12.0' },
      '/get_server_info': { version: '0.5.6' },
      '/get_model_info': kind === 'sglang' ? { has_image_understanding: vision } : undefined,
      '/tokenize': this.#tokenize(body),
      '/detokenize': {
        text: ((body.tokens ?? []) as readonly [number][]).map(([id]) => this.#texts[id]),
      },
    };
    const answer = answers[path];
    if (answer === undefined) response.writeHead(404);
    response.end(JSON.stringify(answer ?? { detail: 'Not Found' }));
  }

  #tokenize({ content, prompt, with_pieces: withPieces }: SeenRequest['body']): object {
    const texts = String(content ?? prompt).match(/<\|?[/\w]+\|?>|\w{1,4}|\s|[^\w\s]{1,3}/g) ?? [];
    const ids = texts.map((text) => {
      const known = this.#texts.indexOf(text);
      return known >= 0 ? known : this.#texts.push(text) - 1;
    });
    if (withPieces === true) return { tokens: ids.map((id) => ({ id, piece: this.#texts[id] })) };
    return { tokens: ids, token_strs: texts };
  }

  #complete(path: string, given: SeenRequest['body'], response: ServerResponse): void {
    const body = llamaBody.parse(given);
    const { prompt } = body;
    const isMarked = !Array.isArray(prompt);
    const markers = isMarked ? prompt.prompt_string.split(this.#marker).length - 1 : 0;
    const pictures = isMarked ? prompt.multimodal_data : [];
    if (markers !== pictures.length) throw new RangeError('Failed to tokenize prompt');
    this.asked.push({ path, body: given, pictures });
    const timings = { cache_n: 10, prompt_n: 990 };
    const done = isMarked ? writtenAfter(prompt.prompt_string) : '';
    this.#write(response, done, (content, stop) => ({ content, stop, stop_type: 'eos', timings }));
  }

  #continue(path: string, body: SeenRequest['body'], response: ServerResponse): void {
    this.asked.push({ path, body, pictures: [] });
    this.#write(response, '', (text, stop) => ({ choices: [{ text, finish_reason: stop ? 'stop' : null }] }));
  }

  #chat(path: string, given: SeenRequest['body'], response: ServerResponse): void {
    const { kind, delta = (content: string) => ({ content }) } = this.#options;
    if (kind === 'llama-server') throw new TypeError('not here');
    const { messages } = chatBodies[kind].parse(given);
    const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
    const pictures = parts.flatMap((part) =>
      part.type === 'image_url' ? part.image_url.url.replace(/^.*,/, '') : [],
    );
    this.asked.push({ path, body: given, pictures });
    this.#write(response, '', (text, stop) => ({
      choices: [{ index: 0, delta: delta(text), finish_reason: stop ? 'stop' : null }],
      usage: { prompt_tokens: 1000, completion_tokens: 1 },
    }));
  }

  #write(response: ServerResponse, done: string, event: (text: string, stop: boolean) => object): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let left = this.#options.response.join('').startsWith(done) ? done.length : 0;
    for (const piece of this.#options.response) {
      const rest = piece.slice(left);
      left = Math.max(0, left - piece.length);
      if (rest !== '') response.write(`data: ${JSON.stringify(event(rest, false))}\n\n`);
    }
    response.write(`data: ${JSON.stringify(event('', true))}\n\n`);
    response.end('data: [DONE]\n\n');
  }
}

/** What of a response a prompt has already. */
function writtenAfter(prompt: string): string {
  return prompt.slice(prompt.lastIndexOf(`${specials[0]}assistant\n`) + `${specials[0]}assistant\n`.length);
}
