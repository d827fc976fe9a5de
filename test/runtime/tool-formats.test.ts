/** Models whose template knows no tools, or other ones, in a tool format. */
import { afterEach, expect, it } from 'vitest';
import { ToolsUnsupportedError, UnsupportedOptionError } from '../../src/format/errors.ts';
import { sha256 } from '../../src/format/sha256.ts';
import { generateModel } from '../../src/generate/generate-model.ts';
import { wrapTemplate } from '../../src/index.ts';
import { connectEngine, type EngineModel } from '../../src/runtime/engine/index.ts';
import { connectServer } from '../../src/servers/index.ts';
import { scriptedEngine, tinyEngine } from '../../src/testing/index.ts';
import { serveModel } from '../support/model-server.ts';
import { sampled } from '../support/sample.ts';
import { vocabulary } from '../support/small-chats.ts';
import { tinyModelFile } from '../support/small-vocabulary.ts';

/** Knows no tools, and insists on turns that alternate. */
const chatTemplate = `{%- for message in messages %}
  {%- if message.role == 'tool' %}{{ raise_exception('no such role') }}{% endif %}
  {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}`;

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', minimum: 1, maximum: 7 } },
  required: ['city'],
  additionalProperties: false,
} as const;
const weather = { name: 'get_weather', parameters } as const;
const messages = [{ role: 'user', content: 'Oslo and Rome?' }] as const;

const open: { dispose?(): Promise<void>; close?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await (each.dispose?.() ?? each.close?.());
});

async function scripted(toolFormat: string, ...scripts: readonly string[]): Promise<EngineModel> {
  const after = ['Rome?', 'Oslo: 5 degrees'];
  const turns = scripts.map((script, index) => ({ script, after: after[index] ?? '' }));
  const model = await connectEngine(scriptedEngine({ chatTemplate, turns }), { toolFormat });
  open.push(model);
  return model;
}

const written = {
  'json-list':
    '[{"name": "get_weather", "arguments": {"city": "Oslo"}}, {"name": "get_weather", "arguments": {"city": "Rome", "days": 2}}]',
  tagged:
    '<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n<function=get_weather>\n<parameter=city>\nRome\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>',
};

it.each(Object.entries(written))('%s: calls are enforced, executed, and told', async (toolFormat, script) => {
  const model = await scripted(toolFormat, script, 'Cold.');
  const execute = ({ arguments: { city } }: { arguments: { city: string } }) => `${city}: 5 degrees`;
  const run = model.runTools({
    messages,
    tools: [{ ...weather, execute: (args) => execute({ arguments: args }) }],
  });
  const assurances: unknown[] = [];
  for await (const event of run) if (event.type === 'tool-call') assurances.push(event.assurance);
  expect(assurances).toEqual(['enforced', 'enforced']);
  const told = await run.messages;
  expect(told.at(-1)).toMatchObject({ role: 'assistant', content: 'Cold.' });
  const { prompt } = model.preview({ messages: told.slice(0, -1), tools: [weather] });
  expect(prompt).toContain(`<|im_start|>assistant\n${script}<|im_end|>`);
  expect(prompt).toContain(
    '<|im_start|>user\n<tool_response>\nOslo: 5 degrees\n</tool_response>\n<tool_response>\nRome: 5 degrees\n</tool_response><|im_end|>',
  );
});

it.each(Object.keys(written))('%s: required calls of random weights are valid', async (toolFormat) => {
  for (const seed of sampled([1, 2, 3], 3)) {
    const model = await connectEngine(tinyEngine({ chatTemplate, seed }), { toolFormat });
    open.push(model);
    const tools = [
      { ...weather, parameters: { ...parameters, properties: { city: { enum: ['Oslo', 'Rome'] } } } },
    ];
    const { tool_calls: calls = [] } = await model.chat({ messages, tools, toolChoice: 'required' }).message;
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) {
      expect(call.assurance).toBe('enforced');
      expect(['Oslo', 'Rome']).toContain(JSON.parse(call.function.arguments).city);
    }
  }
});

it('without one, a model is refused with the way out; an unknown one is refused', async () => {
  const engine = scriptedEngine({ chatTemplate, turns: [{ script: 'a' }] });
  const failure = await connectEngine(engine).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ToolsUnsupportedError);
  expect(String(failure)).toContain("toolFormat: 'json-list'");
  await expect(connectEngine(engine, { toolFormat: 'json' })).rejects.toBeInstanceOf(UnsupportedOptionError);
});

it('a template in a tool format has a fingerprint and a module of its own', async () => {
  const templateSource = wrapTemplate(chatTemplate, 'json-list');
  const { analysis } = generateModel({ name: 'x', origin: 'x', templateSource });
  const { format } = analysis;
  expect(format.templateSha256).toBe(sha256(templateSource));
  const { templates } = await scripted('json-list', 'a');
  expect(templates.toolUse.format.templateSha256).toBe(format.templateSha256);
  expect(templates.toolUse.format.calls).toEqual(format.calls);
});

it('models on servers take it, too', async () => {
  const server = await serveModel(await tinyModelFile({ vocabulary, chatTemplate }), 'llama-server');
  open.push(server);
  const model = await connectServer({
    kind: 'llama-server',
    url: server.url,
    chatTemplate,
    toolFormat: 'json-list',
  });
  expect(model.templates.default.format.labels.toolFormat).toBe('JSON_NATIVE');
  const { prompt } = await model.preview({ messages, tools: [weather] });
  expect(prompt).toContain('<tools>\n{"type": "function", "function": {"name": "get_weather"');
});
