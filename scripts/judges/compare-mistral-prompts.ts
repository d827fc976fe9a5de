/** Prompts of Mistral's own code next to ours, under the templates that it makes for every version of its tokenizers. */
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import type { Message, Tool } from '../../src/format/messages.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { tools } from './drawn-tools.ts';
import { askPython } from './python.ts';
import type { Comparison } from './references.ts';
import { spoken } from './spoken-message.ts';

/**
 * Versions; `spm` is SentencePiece's vocabulary. What Mistral's code refuses, or writes otherwise than its templates, is
 * not drawn: tools in v1, two calls at once in v2, text next to calls and results in JSON before v7, thoughts before v13.
 */
const versions = [
  { version: 'v1spm', calls: false, thinks: false },
  { version: 'v2spm', calls: true, thinks: false },
  { version: 'v3spm', calls: true, thinks: false },
  { version: 'v3', calls: true, thinks: false },
  { version: 'v7spm', calls: true, thinks: false },
  { version: 'v7', calls: true, thinks: false },
  { version: 'v11', calls: true, thinks: false },
  { version: 'v13', calls: true, thinks: false },
  { version: 'v13', calls: true, thinks: true },
  { version: 'v15', calls: true, thinks: true },
] as const;

type Version = (typeof versions)[number];

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
function drawConversations({ version, calls, thinks }: Version): readonly Conversation[] {
  return Array.from({ length: 40 }, (_, index) => {
    let turn = index;
    const pick = <Item>(items: readonly Item[]): Item => {
      turn = (turn * 31 + 7) % 10_007;
      return items[turn % items.length] as Item;
    };
    const offered = calls ? tools.slice(0, index % 4) : [];
    const thoughts = () => (thinks ? pick(['', 'Hm.', 'One.\n\nTwo.']) : '');
    const isOld = ['v1spm', 'v2spm', 'v3spm', 'v3'].includes(version);
    const besides = isOld ? [''] : ['', '', 'Let me look.'];
    const messages: Message[] =
      version === 'v1spm' || index % 2 === 0
        ? []
        : [{ role: 'system', content: pick(['Be nice.', 'One\nTwo é']) }];
    for (let each = 0; each <= index % 3; each += 1) {
      if (each > 0) messages.push(spoken(pick(['Sunny.', 'It is\n\n**hot**.']), thoughts(), []));
      messages.push({ role: 'user', content: pick(['Hi', 'What now?', '日本 "q" <b>']) });
      for (let step = 0; step < (offered.length === 0 ? 0 : pick([0, 1, 2])); step += 1) {
        const made = Array.from({ length: version === 'v2spm' ? 1 : pick([1, 1, 2]) }, (_call, at) => ({
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
            content: pick(isOld ? texts : results),
          });
      }
    }
    return { messages, tools: offered };
  });
}

interface TextAnswer {
  readonly id: number;
  readonly text?: string;
  readonly error?: string;
}

/** The texts of the answers, by id. */
function textsOf(questions: readonly object[]): readonly TextAnswer[] {
  return [...askPython<TextAnswer>('mistral.py', questions)].sort((a, b) => a.id - b.id);
}

/** One comparison for each version and conversation. */
export function compareMistralPrompts(): readonly Comparison[] {
  const templates = textsOf(versions.map(({ version, thinks }, id) => ({ id, template: version, thinks })));
  const cases = versions.flatMap((each, index) => {
    const { text, error } = templates[index] ?? {};
    if (text === undefined) throw new Error(`${each.version}: ${error}`);
    const { input } = analyzeTemplate(text).format;
    const name = each.thinks ? `${each.version} with thoughts` : each.version;
    return drawConversations(each).map((drawn) => ({
      ...drawn,
      version: each.version,
      name,
      source: text,
      input,
    }));
  });
  const answers = textsOf(
    cases.map(({ version, messages, tools: offered }, id) => ({ id, version, messages, tools: offered })),
  );
  return cases.map(({ name, source, input, messages, tools: offered }, id): Comparison => {
    const { text, error = '' } = answers[id] ?? {};
    const ours = promptOf(() =>
      renderPrompt(source, { messages, tools: offered, input, bosToken: '<s>', eosToken: '</s>' }),
    );
    const same = text === undefined ? ours === null : ours === text;
    let at = 0;
    while (at < (text?.length ?? 0) && ours?.[at] === text?.[at]) at += 1;
    const around = (prompt: string | null | undefined) => prompt?.slice(Math.max(0, at - 60), at + 100);
    return {
      mode: 'prompt',
      verdict: same ? 'agree' : text === undefined ? 'theirs' : 'understood differently',
      subject: `mistral-common ${name}`,
      text: messages.map(({ role }) => role).join(', '),
      ours: around(ours) ?? 'refused',
      theirs: around(text) ?? error,
    };
  });
}

function promptOf(render: () => string): string | null {
  try {
    return render();
  } catch (error) {
    if (error instanceof IdiolectError) return null;
    throw error;
  }
}
