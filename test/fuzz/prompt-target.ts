/** Conversations and the options of their prompt, in each template: the spans are the prompt, whose end can be read. */

import type { Message } from '../../src/format/messages.ts';
import { analyzeTemplate, findDroppedData, readGenerationPrompt, renderPrompt } from '../../src/index.ts';
import { type RenderPromptOptions, renderPromptSpans } from '../../src/template/prompt/render-prompt.ts';
import { lawTools } from '../support/law-tools.ts';
import { spineTemplates } from '../support/spine-templates.ts';
import { type FuzzTarget, typed } from './fuzz-target.ts';
import { mutatedJson } from './mutated-json.ts';

const call = {
  id: 'call00001',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city": "Bern"}' },
};
const conversation = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'And here?' }] },
    { role: 'assistant', reasoning_content: 'Hm.', content: 'Let us see.', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call00001', name: 'get_weather', content: '{"degrees": 21}' },
    { role: 'assistant', content: '21 degrees.' },
    { role: 'user', content: 'Well?' },
  ],
  tools: lawTools.slice(0, 1),
};
const continued = {
  messages: [
    { role: 'user', content: 'Well?' },
    { role: 'assistant', reasoning_content: 'Hm.', content: '21 deg' },
  ],
  continueFinalMessage: true,
  thinking: false,
  templateVariables: { documents: [{ title: 'T', text: 'a' }], reasoning_effort: 'low' },
};

const keys = [
  ...['messages', 'tools', 'role', 'content', 'tool_calls', 'tool_call_id', 'name', 'reasoning_content'],
  ...['arguments', 'function', 'type', 'text', 'image_url', 'id', 'continueFinalMessage', 'thinking'],
  ...['addGenerationPrompt', 'templateVariables', 'bosToken', 'eosToken', 'enable_thinking', 'documents'],
  ...['__proto__', 'constructor', 'length', '\ud800', 'thinking_budget', 'date_string', 'custom_tools'],
];
const leaves = [
  ...['system', 'developer', 'user', 'assistant', 'tool', 'function', 'text', 'image', 'image_url', ''],
  ...[
    ' ',
    '\n',
    'a',
    '\ud800',
    '\u0000',
    '<|im_end|>',
    '</think>',
    '<think>\nHm.\n</think>\n\nYes.',
    '{',
    '[]',
  ],
  ...[
    '{"a": [1, {"b": null}]}',
    '"a"',
    'null',
    'call00001',
    'get_weather',
    '\uE0C4\uF8D5\uE0C6',
    'x'.repeat(3000),
  ],
  ...[0, -1, 1e308, 0.5, 2 ** 53, true, false, null, [], {}, [[]], { type: 'text', text: 'b' }],
];

const templates = new Map(
  (await spineTemplates()).map(({ name, source }) => {
    const { format } = analyzeTemplate(source);
    return [name, { source, turn: format.turn }];
  }),
);

interface Asked {
  readonly template: string;
  readonly options: string;
}

/** See the top of this file. */
export const prompt: FuzzTarget = {
  seeds: Array.from(templates.keys(), (template) =>
    [conversation, continued].map((options) =>
      JSON.stringify({ template, options: JSON.stringify(options) }),
    ),
  ).flat(),
  near: (input) => {
    const { template, options } = JSON.parse(input) as Asked;
    return mutatedJson([JSON.parse(options)], keys, leaves).map((changed) =>
      JSON.stringify({ template, options: changed }),
    );
  },
  attempt: async (input) => {
    const { template, options: written } = JSON.parse(input) as Asked;
    const found = templates.get(template);
    if (found === undefined) throw new RangeError(template);
    const { source: templateSource, turn } = found;
    const options = { now: new Date(0), ...JSON.parse(written) } as RenderPromptOptions;
    await typed(() => {
      const text = renderPrompt(templateSource, options);
      const spans = renderPromptSpans(templateSource, options);
      if (spans.map((span) => span.text).join('') !== text) throw new Error('the spans are another prompt');
      findDroppedData(options.messages as readonly Message[], text);
      readGenerationPrompt({ templateSource, options, text }, turn);
    });
  },
};
