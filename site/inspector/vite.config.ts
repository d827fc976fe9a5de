/** `vite build site/inspector`: the inspector page, into `dist/inspector`. */
import { defineConfig, mergeConfig, type Plugin } from 'vite';
import { llamaTemplate } from '../../test/support/corpora.ts';
import { pageConfig } from '../page-config.ts';

/** Templates that can be picked in the page: their names, and their files in llama.cpp's corpus. */
const known = [
  ['Qwen3', 'Qwen-Qwen3-0.6B'],
  ['gpt-oss', 'openai-gpt-oss-120b'],
  ['MiniMax M2', 'MiniMax-M2'],
  ['GLM 4.6', 'GLM-4.6'],
  ['Kimi K2 Thinking', 'Kimi-K2-Thinking'],
  ['Ministral 3', 'mistralai-Ministral-3-14B-Reasoning-2512'],
  ['DeepSeek V3.1', 'deepseek-ai-DeepSeek-V3.1'],
  ['SmolLM3', 'HuggingFaceTB-SmolLM3-3B'],
] as const;

const knownTemplates: Plugin = {
  name: 'known-templates',
  resolveId: (id) => (id === 'virtual:known-templates' ? `\0${id}` : null),
  async load(id) {
    if (id !== '\0virtual:known-templates') return null;
    const templates = known.map(async ([name, file]) => ({
      name,
      templateSource: (await llamaTemplate(file)).source,
    }));
    return `export const knownTemplates = ${JSON.stringify(await Promise.all(templates))};`;
  },
};

/** Errors are told by the names of their classes. */
const rolldownOptions = { output: { keepNames: true } };

// Nothing may be fetched or sent, by the Workers neither: they are made of blobs, which inherit this.
const page = pageConfig(import.meta.dirname, {
  'script-src': "'self' blob:",
  'style-src': "'self' 'unsafe-inline'",
  'worker-src': 'blob:',
  'img-src': "'self' data:",
  'connect-src': "'none'",
});

export default defineConfig(
  mergeConfig(page, {
    plugins: [knownTemplates],
    worker: { format: 'iife', rolldownOptions },
    build: { rolldownOptions },
  }),
);
