/** Templates that tests single out, and why. */

/** One of every layout. */
export const milestoneTemplates = [
  'Qwen-Qwen3-0.6B',
  'Qwen-Qwen2.5-7B-Instruct',
  'NousResearch-Hermes-3-Llama-3.1-8B-tool_use',
  'Qwen3-Coder',
  'GLM-4.6',
  'mistralai-Mistral-Nemo-Instruct-2407',
  'Mistral-Small-3.2-24B-Instruct-2506',
  'unsloth-mistral-Devstral-Small-2507',
  'meta-llama-Llama-3.1-8B-Instruct',
  'deepseek-ai-DeepSeek-V3.1',
  'moonshotai-Kimi-K2',
  'CohereForAI-c4ai-command-r7b-12-2024-tool_use',
  'Apertus-8B-Instruct',
  'meetkai-functionary-medium-v3.1',
  'openai-gpt-oss-120b',
  'LFM2.5-8B-A1B',
  'google-gemma-4-31B-it',
];

/** Safety classifiers: what an assistant said is judged, not continued. */
export const notChats = [
  'hf/033-library_granite3-guardian_2b.jinja',
  'hf/042-library_llama-guard3_1b.jinja',
  'hf/043-library_llama-guard3_8b.jinja',
  'hf/089-library_shieldgemma_27b.jinja',
];

/** History shows what no model writes: reasoning that is opened before an answer and never closed. */
export const unfaithfulHistories = ['llama/NVIDIA-Nemotron-Nano-v2.jinja'];

/** Templates that never render a call and whose models make calls: see `src/analysis/overrides`. */
export const callsFromOverrides = [
  'llama/HuggingFaceTB-SmolLM3-3B.jinja',
  'llama/LFM2-8B-A1B.jinja',
  'llama/LFM2.5-Instruct.jinja',
];
