/** `vite build site/inspector`: the inspector page, into `dist/inspector`. */
import path from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import { llamaTemplate } from '../../test/support/corpora.ts';

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
const conditions = ['idiolect:source', 'module', 'browser'];

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [knownTemplates],
  resolve: { conditions },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  worker: { format: 'iife', rolldownOptions },
  logLevel: 'warn',
  build: {
    outDir: path.join(import.meta.dirname, '../../dist/inspector'),
    emptyOutDir: true,
    target: 'es2023',
    rolldownOptions,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 2000,
  },
});
