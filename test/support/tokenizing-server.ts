/** A server that only tokenises, with the vocabulary of a model in this process and without a network. */
import type { LlamaModel, Token } from 'node-llama-cpp';
import { llamaServer } from '../../src/servers/llama-server.ts';
import { sglang, vllm } from '../../src/servers/openai-server.ts';
import { PromptEncoder } from '../../src/servers/prompt-encoder.ts';
import { ServerConnection } from '../../src/servers/server-connection.ts';
import type { ServerDialect } from '../../src/servers/server-dialect.ts';

/** The dialects of the servers that are spoken to. */
export const serverDialects: Readonly<Record<string, ServerDialect>> = {
  'llama-server': llamaServer,
  vllm,
  sglang,
};

/** An encoder of prompts that asks a server with the vocabulary of `model`. */
export function encoderFor(model: LlamaModel, dialect: ServerDialect): PromptEncoder {
  const spell = (id: Token): string => model.detokenize([id], true);
  const answer = (body: Readonly<Record<string, unknown>>): object => {
    if (Array.isArray(body.tokens)) return { text: body.tokens.map(([id]: readonly Token[]) => spellOf(id)) };
    const tokens = model.tokenize(String(body.content ?? body.prompt), body.parse_special !== false);
    if (body.with_pieces === true) return { tokens: tokens.map((id) => ({ id, piece: spell(id) })) };
    return body.return_token_strs === true ? { tokens, token_strs: tokens.map(spell) } : { tokens };
  };
  const spellOf = (id: Token | undefined): string => (id === undefined ? '' : spell(id));
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> =>
    Response.json(answer(JSON.parse(String(init?.body))));
  const connection = new ServerConnection({ url: 'http://server.test', fetch });
  return new PromptEncoder(connection, dialect, {
    name: 'served',
    bosToken: '',
    eosToken: '',
    addedTokens: null,
  });
}
