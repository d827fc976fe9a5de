/** Prompts of Mistral's own code next to ours, under the templates that it makes for every version of its tokenizers. */
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import type { Message, Tool } from '../../src/format/messages.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { tools } from './drawn-tools.ts';
import type { MistralTemplate, MistralText, MistralVersion } from './mistral-versions.ts';
import { askPython } from './python.ts';
import type { Comparison } from './references.ts';
import { spoken } from './spoken-message.ts';

const inputs = [
  '{"city": "Zürich", "days": 2}',
  '{}',
  '{"s": "line\\n\\"q\\" <b>", "a": [1, 2]}',
  '{"i": 1234567890123456789, "n": 1.0, "z": null}',
  '{"s":"x","b":true}',
];
const texts = ['sunny', 'line\n"q"'];
const results = [...texts, '{"t": 20, "é": "x"}', '[1, 2]'];

interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
}

/** Forty conversations of what a version can write, values in turn. */
function drawConversations({
  version,
  calls,
  parallel,
  old,
  thinks,
}: MistralVersion): readonly Conversation[] {
  return Array.from({ length: 40 }, (_, index) => {
    let turn = index;
    const pick = <Item>(items: readonly Item[]): Item => {
      turn = (turn * 31 + 7) % 10_007;
      return items[turn % items.length] as Item;
    };
    const offered = calls ? tools.slice(0, index % 4) : [];
    const thoughts = () => (thinks ? pick(['', 'Hm.', 'One.\n\nTwo.']) : '');
    const besides = old ? [''] : ['', '', 'Let me look.'];
    const messages: Message[] =
      version === 'v1spm' || index % 2 === 0
        ? []
        : [{ role: 'system', content: pick(['Be nice.', 'One\nTwo é']) }];
    for (let each = 0; each <= index % 3; each += 1) {
      if (each > 0) messages.push(spoken(pick(['Sunny.', 'It is\n\n**hot**.']), thoughts(), []));
      messages.push({ role: 'user', content: pick(['Hi', 'What now?', '日本 "q" <b>']) });
      for (let step = 0; step < (offered.length === 0 ? 0 : pick([0, 1, 2])); step += 1) {
        const made = Array.from({ length: parallel ? pick([1, 1, 2]) : 1 }, (_call, at) => ({
          id: `call${each}${step}${at}ab`,
          type: 'function' as const,
          function: { name: pick(offered).function.name, arguments: pick(inputs) },
        }));
        messages.push(spoken(pick(besides), thoughts(), made));
        for (const { id, function: called } of made)
          messages.push({
            role: 'tool',
            tool_call_id: id,
            name: called.name,
            content: pick(old ? texts : results),
          });
      }
    }
    return { messages, tools: offered };
  });
}

/** A conversation, and the prompt that Mistral's code and its template write for it. */
export interface RecordedMistralPrompt {
  readonly template: string;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  readonly prompt: string;
}

/** One comparison for each version and conversation. */
export function compareMistralPrompts(templates: readonly MistralTemplate[]): readonly Comparison[] {
  const cases = templates.flatMap((each) => drawConversations(each).map((drawn) => ({ ...each, ...drawn })));
  const questions = cases.map(({ version, messages, tools: offered }, id) => ({
    id,
    version,
    messages,
    tools: offered,
  }));
  const answers = new Map(askPython<MistralText>('mistral.py', questions).map((each) => [each.id, each]));
  return cases.map(({ name, source, format, messages, tools: offered }, id): Comparison => {
    const { text, error = '' } = answers.get(id) ?? {};
    const ours = mistralPrompt(source, format, { messages, tools: offered });
    const same = text === undefined ? ours === null : ours === text;
    let at = 0;
    while (at < (text?.length ?? 0) && ours?.[at] === text?.[at]) at += 1;
    const around = (prompt: string | null | undefined) => prompt?.slice(Math.max(0, at - 60), at + 100);
    const template = `mistral-common/${name}`;
    return {
      mode: 'prompt',
      verdict: same ? 'agree' : text === undefined ? 'theirs' : 'understood differently',
      subject: template,
      text: messages.map(({ role }) => role).join(', '),
      ours: around(ours) ?? 'refused',
      theirs: around(text) ?? error,
      ...(text === undefined ? {} : { recordedPrompt: { template, messages, tools: offered, prompt: text } }),
    };
  });
}

/** Ours; `null` if it is refused. */
export function mistralPrompt(
  source: string,
  { input }: ChatFormat,
  { messages, tools: offered }: Conversation,
): string | null {
  try {
    return renderPrompt(source, { messages, tools: offered, input, bosToken: '<s>', eosToken: '</s>' });
  } catch (error) {
    if (error instanceof IdiolectError) return null;
    throw error;
  }
}
