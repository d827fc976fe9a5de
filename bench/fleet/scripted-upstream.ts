/** A vLLM that only reads out a response, as a `fetch`: what is measured before it is the client, or the gateway. */
import { demoTools } from '../../examples/support/demo-tools.ts';
import { responseModule } from '../../generated/qwen-qwen3-0.6b/index.ts';
import { connectServer, type ServerModel } from '../../src/servers/index.ts';
import { llamaTemplate } from '../../test/support/corpora.ts';

const added_tokens_decoder = { 1: '<|im_start|>', 2: '<|im_end|>' };

/** See the top of this file. */
export class ScriptedUpstream {
  readonly written = { requests: 0, bytesUp: 0, bytesDown: 0 };
  /** Words of its thoughts, and of its text; a call follows. */
  words = 20;
  /** Whether it says half of its response, and then nothing more. */
  isHeld = false;

  #tokenizer = '';

  /** Tokens of its response. */
  get tokens(): number {
    return this.#pieces().length;
  }

  async connect(): Promise<ServerModel> {
    const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
    this.#tokenizer = JSON.stringify({
      chat_template: source,
      eos_token: '<|im_end|>',
      added_tokens_decoder,
    });
    const url = 'http://server.test';
    const modules = [responseModule];
    const asked: typeof fetch = async (address, init) =>
      this.#answer(String(address), String(init?.body ?? ''));
    return connectServer({ kind: 'vllm', url, modules, fetch: asked });
  }

  #pieces(): readonly string[] {
    const [tool] = demoTools;
    const call = `{"name": "${tool?.function.name}", "arguments": {"city": "Bern", "unit": "celsius"}}`;
    const text = Array.from({ length: this.words }, () => 'word ');
    const thoughts = ['<think>', '\n', ...text, '\n', '</think>', '\n\n'];
    return [...thoughts, ...text, '<tool_call>', `\n${call}\n`, '</tool_call>'];
  }

  #answer(address: string, body: string): Response {
    const answer = address.endsWith('/v1/completions') ? this.#response() : this.#told(address, body);
    const { written } = this;
    written.requests += 1;
    written.bytesUp += body.length;
    written.bytesDown += answer.length;
    if (!this.isHeld || !address.endsWith('/v1/completions')) return new Response(answer);
    const half = new TextEncoder().encode(answer.slice(0, answer.indexOf('\n\n', answer.length / 2) + 2));
    return new Response(new ReadableStream({ start: (stream) => stream.enqueue(half) }));
  }

  #response(): string {
    const events = this.#pieces().map((text, index, all) => {
      const finish_reason = index === all.length - 1 ? 'stop' : null;
      return `data: ${JSON.stringify({ id: 'cmpl-0', choices: [{ index: 0, text, finish_reason, token_ids: [5] }] })}\n\n`;
    });
    return `${events.join('')}data: [DONE]\n\n`;
  }

  #told(address: string, body: string): string {
    if (address.endsWith('/v1/models')) return '{"data":[{"id":"served","max_model_len":131072}]}';
    if (address.endsWith('/version')) return '{"version":"0.32.0"}';
    if (address.endsWith('/tokenizer_info')) return this.#tokenizer;
    const texts: readonly string[] =
      JSON.parse(body).prompt.match(/<\|?\/?\w+\|?>|\w{1,4}|\s+|[^\w\s]/g) ?? [];
    return JSON.stringify({ tokens: texts.map((_, index) => 1000 + index), token_strs: texts });
  }
}
