/** Prompts of OpenAI's harmony next to ours: a hundred conversations, with tools of every kind of schema. */
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { parseExactJson, writeExactJson } from '../../src/format/exact-json.ts';
import type { JsonObject, Message, Tool } from '../../src/format/messages.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { llamaTemplate } from '../../test/support/corpora.ts';
import { askPython } from './python.ts';
import type { Comparison } from './references.ts';
import { spoken } from './spoken-message.ts';

const string = { type: 'string' };
const number = { type: 'number' };
const object = (properties: JsonObject, required: readonly string[] = []) => ({
  type: 'object' as const,
  properties,
  required: [...required],
});
const tool = (name: string, description: string, parameters?: JsonObject): Tool => ({
  type: 'function',
  function: { name, description, ...(parameters === undefined ? {} : { parameters }) },
});
/**
 * Of schemas that the template writes as harmony does; it has its own way with objects, lists of objects, no properties,
 * defaults and descriptions of several lines.
 */
const tools: readonly Tool[] = [
  tool('here', 'Where the user is.'),
  tool(
    'weather',
    'The weather in a place.',
    object(
      {
        place: { ...string, description: 'City, state' },
        unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
      },
      ['place'],
    ),
  ),
  tool(
    'weathers',
    'Many.',
    object({ places: { type: 'array', items: string }, days: { type: 'integer' } }, ['places']),
  ),
  tool(
    'either',
    'A choice.',
    object({ id: { type: ['string', 'null'] }, share: number, sure: { type: 'boolean' } }),
  ),
];

const inputs = [
  '{"a": 1}',
  '{}',
  '{"s": "x <b> \\"q\\" é", "n": null}',
  '{"id": 1234567890123456789, "f": 2.0}',
  '{"a":[1,2]}',
];
const results = ['{"t": 20}', 'sunny', 'line\n"q" é <b>'];

/** Every combination of what may come, values in turn. */
function drawConversations(): readonly {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
}[] {
  return Array.from({ length: 100 }, (_, index) => {
    let turn = index;
    const pick = <Item>(items: readonly Item[]): Item => {
      turn = (turn * 31 + 7) % 10_007;
      return items[turn % items.length] as Item;
    };
    const offered = Array.from({ length: index % 4 }, () => pick(tools));
    const messages: Message[] =
      index % 3 === 0 ? [] : [{ role: 'system', content: pick(['Be kind.', 'One.\nTwo.']) }];
    const turns = 1 + (index % 3);
    for (let each = 0; each < turns; each += 1) {
      messages.push({ role: 'user', content: pick(['Hi', 'The weather in Bern?', '日本語で']) });
      const steps = offered.length === 0 ? 0 : pick([0, 1, 2]);
      for (let step = 0; step < steps; step += 1) {
        const thoughts = pick(['', 'I need to look.']);
        const calls = Array.from({ length: pick([1, 1, 1, 2]) }, (_call, at) => ({
          id: `call_${each}_${step}_${at}`,
          type: 'function' as const,
          function: { name: pick(offered).function.name, arguments: pick(inputs) },
        }));
        messages.push(spoken(pick(['', '', 'Let me look.']), thoughts, calls));
        messages.push(
          ...calls.map(({ id }): Message => ({ role: 'tool', tool_call_id: id, content: pick(results) })),
        );
      }
      if (each < turns - 1)
        messages.push(spoken(pick(['Sunny.', 'It is {"x": 1}.']), pick(['', 'Think.']), []));
    }
    return { messages, tools: [...new Set(offered)] };
  });
}

/** Thoughts of the assistant, in a message of their own. */
const thoughtMessage = /<\|start\|>assistant<\|channel\|>analysis<\|message\|>.*?<\|end\|>/gs;

/** Without what the model's template writes otherwise, and `docs/deviations.md` lists. */
function withoutListed(prompt: string): string {
  const lastAnswer = prompt.lastIndexOf('<|channel|>final');
  const answered = prompt.slice(0, Math.max(0, lastAnswer)).replaceAll(thoughtMessage, '');
  return (answered + prompt.slice(Math.max(0, lastAnswer)))
    .replaceAll('\n\n<|end|>', '<|end|>')
    .replaceAll('<|constrain|>json', 'json')
    .replaceAll(/(?<= to=assistant<\|channel\|>commentary<\|message\|>)".*?"(?=<\|end\|>)/gs, (json) =>
      JSON.parse(json),
    )
    .replaceAll(/(?<=commentary json<\|message\|>).*?(?=<\|call\|>)/gs, (json) =>
      writeExactJson(parseExactJson(json)),
    );
}

/** A conversation, and the prompt that harmony writes for it, without what is listed. */
export interface RecordedPrompt {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly prompt: string;
}

const template = 'openai-gpt-oss-120b';
const date = '2026-01-02';

interface PromptAnswer {
  readonly id: number;
  readonly prompt: string;
}

/** Renders conversations as we do, without what is listed. */
export async function harmonyRenderer(): Promise<(conversation: Omit<RecordedPrompt, 'prompt'>) => string> {
  const { source } = await llamaTemplate(template);
  const { input } = analyzeTemplate(source).format;
  const now = new Date(`${date}T12:00:00Z`);
  return ({ messages, tools: offered }) =>
    withoutListed(renderPrompt(source, { messages, tools: offered, input, now }));
}

/** One comparison for each conversation. */
export async function compareHarmonyPrompts(): Promise<readonly Comparison[]> {
  const render = await harmonyRenderer();
  const drawn = drawConversations().map((each, id) => ({ id, date, ...each }));
  const answers = new Map(
    askPython<PromptAnswer>('harmony_prompts.py', drawn).map(({ id, prompt }) => [id, prompt]),
  );
  return drawn.map(({ id, messages, tools: offered }): Comparison => {
    const theirs = withoutListed(answers.get(id) ?? '');
    const ours = render({ messages, tools: offered });
    let at = 0;
    while (at < ours.length && ours[at] === theirs[at]) at += 1;
    const around = (text: string) => text.slice(Math.max(0, at - 60), at + 100);
    return {
      mode: 'prompt',
      verdict: ours === theirs ? 'agree' : 'understood differently',
      subject: `llama/${template}`,
      text: messages.map(({ role }) => role).join(', '),
      ours: around(ours),
      theirs: around(theirs),
      recordedPrompt: { messages, tools: offered, prompt: theirs },
    };
  });
}
