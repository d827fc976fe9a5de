/** A model that insists on bytes that are no UTF-8: they are never written under a grammar, so no text is too long. */
import { describe, expect, it } from 'vitest';
import { type ChatOptions, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { chatTemplate, openLlamaTiny, vocabulary } from '../support/small-chats.ts';
import { scriptedModelFile, testLlama } from '../support/test-models.ts';

const maxLength = 9;
const parameters = {
  type: 'object',
  properties: { name: { type: 'string', maxLength } },
  required: ['name'],
  additionalProperties: false,
} as const;
const request = {
  messages: [{ role: 'user', content: 'Who?' }],
  tools: [{ type: 'function', function: { name: 'call', parameters } }],
  toolChoice: 'required',
  parallelToolCalls: false,
  thinking: false,
  maxTokens: 100,
} as const satisfies ChatOptions;

/** In this vocabulary, the bytes follow three control tokens. */
const firstByte = 3;

const tiny = await openLlamaTiny();
const { promptTokens: promptLength } = tiny.preview(request);
await tiny.dispose();

/** The name in the call of a model that would write `bytes` for ever. */
async function nameFrom(bytes: readonly number[]): Promise<string> {
  const script = Array.from({ length: 100 }, (_, at) => firstByte + (bytes[at % bytes.length] ?? 0));
  const markers = ['<think>', '</think>', '<tool_call>', '</tool_call>'];
  const controls = ['<|im_start|>', '<|im_end|>'];
  const file = await scriptedModelFile({ vocabulary, markers, controls, chatTemplate, script, promptLength });
  const model = await loadModel(file, { llama: await testLlama(), threads: 1, contextSize: 1024 });
  const { tool_calls: calls = [] } = await model.chat(request).message;
  await model.dispose();
  const { name } = JSON.parse(calls[0]?.function.arguments ?? '') as { readonly name: string };
  return name;
}

describe('a text of at most nine characters', () => {
  it.each([
    ['surrogates', [0xed, 0xa0, 0x80]],
    ['overlong characters of three bytes', [0xe0, 0x9f, 0x80]],
    ['overlong characters of four bytes', [0xf0, 0x8f, 0x80, 0x80]],
    ['an overlong quote', [0xf0, 0x80, 0x80, 0xa2]],
    ['characters beyond the last one', [0xf4, 0x90, 0x80, 0x80]],
    ['bytes that begin nothing', [0xf5, 0x80, 0x80, 0x80]],
    ['bytes that are never used', [0xff, 0xbf, 0xc0, 0xf8]],
  ])('does not hold %s', async (_, bytes) => {
    const name = await nameFrom(bytes);
    expect(Array.from(name).length).toBeLessThanOrEqual(maxLength);
    expect(name).not.toContain('\ufffd');
  });

  it.each(['ü', '\ud7ff', '€', '😀'])('holds %j, byte by byte', async (character) => {
    // How many tokens precede the name is unknown, so each byte is once the first.
    const bytes = [...new TextEncoder().encode(character)];
    const names = await Promise.all(
      bytes.map((_, at) => nameFrom([...bytes.slice(at), ...bytes.slice(0, at)])),
    );
    expect(names.join()).toContain(character);
  });
});
