/** The server that is judged: requests of its own API, without the library. */
import { request } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import type { StructuralTag } from '../../src/grammar/structural-tag/structural-tag.ts';

/** Where it is, and what it is. */
export interface JudgedServer {
  readonly url: string;
  readonly kind: 'vllm' | 'sglang';
  /** The model's name in requests. */
  readonly model: string;
}

/** The first model of a server. */
export async function judgedServer(url: string, kind: JudgedServer['kind']): Promise<JudgedServer> {
  const answer = await fetch(`${url}/v1/models`);
  const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] };
  return { url, kind, model: data[0]?.id ?? '' };
}

/** The version that a server tells. */
export async function versionOf({ url, kind }: JudgedServer): Promise<string> {
  const answer = await fetch(`${url}${kind === 'vllm' ? '/version' : '/get_server_info'}`);
  return ((await answer.json()) as { readonly version?: string }).version ?? 'unknown';
}

/** The answer to a request, and how long it took. */
export interface Answered {
  readonly status: number;
  readonly body: string;
  readonly milliseconds: number;
}

/** Posts a request, on a connection of its own, and waits as long as it takes: a busy server takes minutes. */
export function post({ url, model }: JudgedServer, path: string, body: object): Promise<Answered> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const asked = request(`${url}${path}`, { method: 'POST', headers, agent: false }, (answer) => {
      readAll(answer).then((text) => {
        const milliseconds = performance.now() - begun;
        resolve({ status: answer.statusCode ?? 0, body: text, milliseconds });
      }, reject);
    });
    asked.on('error', reject);
    asked.end(JSON.stringify({ model, ...body }));
  });
}

/** The fields of a completion under a tag. */
export function underTag({ kind }: JudgedServer, tag: StructuralTag): object {
  if (kind === 'sglang') return { response_format: tag };
  return { structured_outputs: { structural_tag: JSON.stringify(tag) } };
}

/** A completion: its text, and why it ended. */
export function readCompletion(body: string): { readonly text: string; readonly finish: string } {
  const { choices } = JSON.parse(body) as {
    readonly choices: readonly { readonly text: string; readonly finish_reason: string }[];
  };
  return { text: choices[0]?.text ?? '', finish: choices[0]?.finish_reason ?? '' };
}
