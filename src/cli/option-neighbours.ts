/** Options of similar programs, for those who type them here. */

/** By their name elsewhere (llama-server, vLLM, Ollama): the option here, or what to do instead. */
const neighbours: Readonly<Record<string, string>> = {
  '-c': '--context-size',
  '--ctx-size': '--context-size',
  '--num-ctx': '--context-size',
  '--n-ctx': '--context-size',
  '--max-model-len': '--context-size',
  '-ngl': '--gpu-layers',
  '--n-gpu-layers': '--gpu-layers',
  '--num-gpu': '--gpu-layers',
  '-np': '--sequences',
  '--parallel': '--sequences',
  '--max-num-seqs': '--sequences',
  '-t': '--threads',
  '--ubatch-size': '--batch-size',
  '-b': '--batch-size',
  '--temp': '--temperature',
  '-a': '--alias',
  '--served-model-name': '--alias',
  '--ssl-cert-file': '--tls-cert',
  '--ssl-certfile': '--tls-cert',
  '--ssl-key-file': '--tls-key',
  '--ssl-keyfile': '--tls-key',
  '--api-key-file': '--api-key',
  '--allowed-origins': '--cors',
  '--chat-template': '--template',
  '--chat-template-file': '--template',
  '--embedding': '--embeddings',
  '--rerank': '--embeddings',
  '--reranking': '--embeddings',
  '--jinja': 'templates are always rendered',
  '-m': 'the model is an argument: idiolect serve model.gguf',
  '--model': 'the model is an argument: idiolect serve model.gguf',
  '-hf': 'the model is an argument: idiolect serve owner/name',
  '--reasoning-format': 'thoughts are always separated',
  '--enable-auto-tool-choice': 'tools need no switch',
  '--tool-call-parser': 'the format is read from the template',
  '--reasoning-parser': 'the format is read from the template',
  '--cont-batching': 'responses are always evaluated together',
  '--flash-attn': 'it is used where node-llama-cpp has it',
  '-fa': 'it is used where node-llama-cpp has it',
  '--slots': '/metrics tells what runs and what waits',
  '--no-webui': 'there is no page unless --open asks for it',
  '--verbose': '--log-level',
  '--tensor-parallel-size': 'large models run in vLLM or SGLang; give the address of one',
  '--gpu-memory-utilization': 'large models run in vLLM or SGLang; give the address of one',
  '--metrics': '/metrics is always there',
  '--cache-type-k': 'the cache keeps its type: others crash some backends',
  '--cache-type-v': 'the cache keeps its type: others crash some backends',
  '--ttl': '--keep-alive',
  '--sleep-idle-seconds': '--keep-alive',
  '--mmproj': 'models that see pictures run in llama-server; give its address',
  '--draft': 'draft models are not used: they do not see text that a grammar forces',
  '--model-draft': 'draft models are not used: they do not see text that a grammar forces',
};

/** What to tell who typed an unknown option; `null` if nothing is known of it. */
export function neighbourOf(option: string): string | null {
  const [name = ''] = option.split('=');
  const found = Object.hasOwn(neighbours, name) ? neighbours[name] : undefined;
  if (found === undefined) return null;
  return found.startsWith('--') ? `Did you mean ${found}?` : `There is none: ${found}.`;
}
