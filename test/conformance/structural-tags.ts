/**
 * Structural tags of XGrammar's registry for formats that are checked in here: what the template renders and the
 * registry's tag accepts, ours has to accept, too. XGrammar judges both.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage, JsonObject, Tool, ToolCall } from '../../src/format/messages.ts';
import { buildStructuralTag } from '../../src/grammar/structural-tag/build-structural-tag.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { structuralTagMatcher } from '../support/xgrammar.ts';

interface Registry {
  readonly tools: readonly Tool[];
  /** By format, tool choice, and whether the model thinks: `glm-4.6|auto|True`. */
  readonly tags: Readonly<Record<string, JsonObject>>;
}

type Matcher = (text: string) => Promise<boolean>;

/** Compares with the tags of `structural-tags.json` in `dataFolder`. A case is a text that the registry's tag accepts. */
export async function run(dataFolder: string): Promise<{
  readonly passed: number;
  readonly total: number;
  readonly failures: readonly string[];
  readonly details: readonly string[];
}> {
  const file = path.join(dataFolder, 'structural-tags.json');
  if (!fs.existsSync(file)) return none('structural-tags.json is not there');
  const { tools, tags }: Registry = JSON.parse(fs.readFileSync(file, 'utf8'));
  const failures: string[] = [];
  const unread: string[] = [];
  let total = 0;
  let rendered = 0;
  for (const [key, tag] of Object.entries(tags)) {
    const theirs = await matcherOf(tag);
    if (theirs === null) {
      unread.push(key);
      continue;
    }
    const [name = '', choice, thinks] = key.split('|');
    const format = formatOf(name);
    const { start, prompt } = format.turn;
    const opened = thinks === 'True' ? prompt.on : prompt.off;
    const toolChoice = choice === 'required' ? 'required' : 'auto';
    const built = buildStructuralTag(format, { tools, toolChoice, generationPrompt: start + opened });
    const ours = await structuralTagMatcher(built.tag ?? { type: 'any_text' });
    for (const text of texts(format, opened, toolChoice, thinks === 'True')) {
      rendered += 1;
      if (!(await theirs(text))) continue;
      total += 1;
      if (!(await ours(text))) failures.push(`${key}: ${JSON.stringify(text)}`);
    }
  }
  const details = [
    `${rendered} texts rendered, ${total} of them accepted by the registry's tags`,
    ...unread.map((key) => `XGrammar cannot read the registry's ${key}`),
  ];
  return { passed: total - failures.length, total, failures, details };
}

function none(failure: string) {
  return { passed: 0, total: 0, failures: [failure], details: [] };
}

/** `null` for a tag of a later version, with nodes that this XGrammar does not know. */
async function matcherOf(tag: JsonObject): Promise<Matcher | null> {
  try {
    return await structuralTagMatcher(tag);
  } catch {
    return null;
  }
}

/** What runs is built elsewhere; npm starts it in the folder of the package. */
function formatOf(name: string): ChatFormat {
  return JSON.parse(fs.readFileSync(path.resolve('generated', name, 'format.json'), 'utf8'));
}

function call(name: string, given: JsonObject, id: string): ToolCall {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(given) } };
}

const weather = call('get_weather', { city: 'Bern', days: 3, unit: 'celsius' }, 'abcdef123');
const search = call('search', { query: 'sun', tags: ['a'], opts: { deep: true } }, 'bcdefa123');
const ping = call('ping', {}, 'ghijkl456');

/** An answer, each call alone, and two of them, as the template renders them after a prompt. */
function texts(
  format: ChatFormat,
  opened: string,
  toolChoice: 'auto' | 'required',
  thinks: boolean,
): readonly string[] {
  const several = format.calls?.parallel === true ? [[weather, ping]] : [];
  const calls = [[weather], [search], [ping], ...several];
  const answer: AssistantMessage = { role: 'assistant', content: 'It is sunny.' };
  const messages: readonly AssistantMessage[] = [
    ...(toolChoice === 'auto' ? [answer] : []),
    ...calls.map((tool_calls): AssistantMessage => ({ role: 'assistant', content: null, tool_calls })),
  ];
  const thoughts = thinks && format.reasoning !== null ? { reasoning_content: 'Hm.' } : {};
  return messages.flatMap((message) => {
    const written = writeResponse(format, { ...message, ...thoughts });
    return written.startsWith(opened) ? [written.slice(opened.length)] : [];
  });
}
