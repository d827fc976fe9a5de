/** One template for every layout that the field uses: the set on which all laws run in every test run. */
import { type CorpusTemplate, llamaTemplate } from './corpora.ts';

/** File names, without `.jinja`, in llama.cpp's corpus. */
export const spineNames = [
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
] as const;

/** The 17 templates. */
export function spineTemplates(): Promise<CorpusTemplate[]> {
  return Promise.all(spineNames.map(llamaTemplate));
}
