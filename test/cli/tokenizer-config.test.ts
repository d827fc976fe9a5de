/** What files next to a chat template say of the model's tokens. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { readModelSource } from '../../src/cli/model-source.ts';
import { readEndTokens, readTokenizerConfig } from '../../src/cli/tokenizer-config.ts';
import { modelFile } from '../hub/model-file.ts';

const template =
  '{% for m in messages %}<{{ m.role[0] }}>{{ m.content }}<end>{% endfor %}{% if add_generation_prompt %}<a>{% endif %}';
const tokenizer = {
  chat_template: template,
  added_tokens_decoder: { 5: { content: '<end>', special: true }, 7: { content: '<stop>' } },
};

it('the command reads added tokens, and the texts of the ids at which generation ends', () => {
  expect(readTokenizerConfig(tokenizer)?.addedTokens).toEqual(['<end>', '<stop>']);
  expect(readEndTokens({ eos_token_id: [5, 99] }, tokenizer)).toEqual(['<end>']);
  expect(readEndTokens({ eos_token_id: 7 }, tokenizer)).toEqual(['<stop>']);
  expect(readEndTokens(null, tokenizer)).toEqual([]);
});

it('the command reads both of a model file', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-config-'));
  const file = path.join(folder, 'model.gguf');
  const warned = async (eos: number) => {
    const metadata = {
      'tokenizer.chat_template': template,
      'tokenizer.ggml.tokens': ['a', '<end>', '<stop>'],
      'tokenizer.ggml.token_type': [1, 3, 4],
      'tokenizer.ggml.eos_token_id': eos,
    };
    fs.writeFileSync(file, modelFile({ metadata }));
    const { templateSource, facts } = await readModelSource(file);
    expect(facts?.addedTokens).toEqual(['<end>', '<stop>']);
    return analyzeTemplate(templateSource, { ...facts }).warnings.map(({ field }) => field);
  };
  expect(await warned(1)).toEqual([]);
  expect(await warned(2)).toEqual(['stops']);
});

it('the command compares the ends of generation with those of turns', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-config-'));
  const file = path.join(folder, 'tokenizer_config.json');
  fs.writeFileSync(file, JSON.stringify(tokenizer));
  const warned = async (eos: number) => {
    fs.writeFileSync(path.join(folder, 'generation_config.json'), JSON.stringify({ eos_token_id: eos }));
    const { templateSource, facts } = await readModelSource(file);
    return analyzeTemplate(templateSource, { ...facts }).warnings.map(({ field }) => field);
  };
  expect(await warned(5)).toEqual([]);
  expect(await warned(7)).toEqual(['stops']);
});

it('the command reads the template that lies next to a config without one, and how responses are read', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-config-'));
  const file = path.join(folder, 'tokenizer_config.json');
  const { chat_template: _, ...config } = tokenizer;
  const response_schema = { type: 'object', properties: { content: { 'x-regex': '^(.*?)(?:<end>)?$' } } };
  fs.writeFileSync(file, JSON.stringify({ ...config, response_schema }));
  await expect(readModelSource(file)).rejects.toThrow('chat_template.jinja');
  fs.writeFileSync(path.join(folder, 'chat_template.jinja'), template);
  const source = await readModelSource(file);
  expect(source.templateSource).toBe(template);
  expect(source.responseReader).toEqual({ kind: 'schema', value: response_schema });
});
