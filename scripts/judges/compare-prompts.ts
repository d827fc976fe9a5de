/**
 * Prompts of transformers next to ours: templates of both corpora, and those in the folders of `IDIOLECT_CONFORMANCE`,
 * with conversations of every kind.
 */
import fs from 'node:fs';
import path from 'node:path';
import { IdiolectError } from '../../src/format/errors.ts';
import type { AssistantMessage, Message, Tool } from '../../src/format/messages.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { allTemplates } from '../../test/support/corpora.ts';
import { tools } from './drawn-tools.ts';
import { askPython } from './python.ts';
import type { Comparison } from './references.ts';

const call = (id: string, name: string, args: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: args },
});
const user = (content: string): Message => ({ role: 'user', content });
const answer = (content: string, others: Partial<AssistantMessage> = {}): Message => ({
  role: 'assistant',
  content,
  ...others,
});
const weather = call('abcdefgh1', 'get_weather', '{"city": "Zürich", "days": 2}');
const values = call('abcdefgh2', 'set_all', '{"i": 1234567890123456789, "n": 2.0, "a": [1], "b": true}');
const result = (id: string, name: string): Message => ({
  role: 'tool',
  tool_call_id: id,
  name,
  content: '{"t": 20}',
});

interface Conversation {
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  readonly continues?: true;
}

const conversations: Readonly<Record<string, Conversation>> = {
  'a question': { messages: [user('Hello <b> "q" é')] },
  instructions: { messages: [{ role: 'system', content: 'Be nice.\n' }, user('Hello')] },
  'several turns': { messages: [user('Hi '), answer('Hello.'), user('  And?\n')] },
  tools: { messages: [user('Weather?')], tools },
  'instructions, tools': { messages: [{ role: 'system', content: 'S' }, user('Weather?')], tools },
  'a call': {
    messages: [user('W?'), answer('', { tool_calls: [weather] }), result('abcdefgh1', 'get_weather')],
    tools,
  },
  numbers: {
    messages: [
      user('W?'),
      answer('', { tool_calls: [values] }),
      result('abcdefgh2', 'set_all'),
      answer('Done.'),
      user('?'),
    ],
    tools,
  },
  'two calls': {
    messages: [
      user('W?'),
      answer('', { tool_calls: [weather, values] }),
      result('abcdefgh1', 'get_weather'),
      result('abcdefgh2', 'set_all'),
    ],
    tools,
  },
  thoughts: { messages: [user('Q'), answer('A.', { reasoning_content: 'Because.' }), user('Q2')] },
  'thoughts, call': {
    messages: [
      user('Q'),
      answer('', { reasoning_content: 'Because.', tool_calls: [weather] }),
      result('abcdefgh1', 'get_weather'),
    ],
    tools,
  },
  'an open answer': { messages: [user('Q'), answer('The answer is')], continues: true },
};

interface PromptAnswer {
  readonly id: number;
  readonly prompts: readonly string[];
}

/** Ours is alike if it is what Python renders from one form of the messages, or if both refuse. */
export async function comparePrompts(): Promise<readonly Comparison[]> {
  const templates = [...(await allTemplates()), ...outsideTemplates()];
  const cases = templates.flatMap(({ id: template, source }) =>
    Object.entries(conversations).map(([name, conversation]) => ({ template, source, name, conversation })),
  );
  const questions = cases.map(({ source, conversation }, id) => ({
    id,
    source,
    messages: conversation.messages,
    tools: conversation.tools ?? [],
    continues: conversation.continues ?? false,
  }));
  const answers = new Map(
    askPython<PromptAnswer>('transformers_prompts.py', questions).map((each) => [each.id, each.prompts]),
  );
  return cases.map(({ template, source, name, conversation }, id): Comparison => {
    const theirs = answers.get(id) ?? [];
    const ours = promptOf(source, conversation);
    const verdict =
      ours === null
        ? theirs.length === 0
          ? 'agree'
          : 'ours'
        : theirs.length === 0
          ? 'theirs'
          : theirs.includes(ours)
            ? 'agree'
            : 'understood differently';
    const around = differenceOf(ours ?? '', theirs);
    return { mode: name, verdict, subject: template, text: name, ours: around[0], theirs: around[1] };
  });
}

/** Templates that lie outside of the repository, if any do. */
function outsideTemplates(): readonly { readonly id: string; readonly source: string }[] {
  const root = process.env.IDIOLECT_CONFORMANCE;
  if (root === undefined) return [];
  return ['more-templates', 'unseen-templates'].flatMap((name) => {
    const folder = path.join(root, name);
    if (!fs.existsSync(folder)) return [];
    const files = fs.readdirSync(folder).filter((file) => file.endsWith('.jinja'));
    return files.map((file) => ({
      id: `${name}/${file}`,
      source: fs.readFileSync(path.join(folder, file), 'utf8'),
    }));
  });
}

function promptOf(source: string, { messages, tools: offered = [], continues }: Conversation): string | null {
  try {
    return renderPrompt(source, {
      messages,
      tools: offered,
      bosToken: '<s>',
      eosToken: '</s>',
      ...(continues === true ? { continueFinalMessage: true } : {}),
    });
  } catch (error) {
    if (error instanceof IdiolectError) return null;
    throw error;
  }
}

/** Both from where ours leaves the one of theirs that it follows longest. */
function differenceOf(ours: string, theirs: readonly string[]): readonly [string, string] {
  const shared = (other: string) => {
    let at = 0;
    while (at < ours.length && ours[at] === other[at]) at += 1;
    return at;
  };
  const [nearest = ''] = [...theirs].sort((a, b) => shared(b) - shared(a));
  const at = Math.max(0, shared(nearest) - 20);
  return [ours.slice(at, at + 120), nearest.slice(at, at + 120)];
}
