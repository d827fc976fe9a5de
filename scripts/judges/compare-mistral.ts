/** Mistral's own texts of messages, and its grammars of demanded calls, next to ours. */
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createGbnfMatcher } from '../../src/language/gbnf/gbnf-expression.ts';
import { llamaTemplate } from '../../test/support/corpora.ts';
import { compareMistralPrompts } from './compare-mistral-prompts.ts';
import { tools } from './drawn-tools.ts';
import { askPython } from './python.ts';
import { canonical, type Reading } from './reading.ts';
import { readAsRecorded } from './recorded-reading.ts';
import type { Comparison } from './references.ts';

/** Templates with the versions of Mistral's tokenizers whose format they write. */
const versions: readonly (readonly [template: string, version: string])[] = [
  ['Mistral-Small-3.2-24B-Instruct-2506', 'v11'],
  ['unsloth-mistral-Devstral-Small-2507', 'v13'],
  ['mistralai-Ministral-3-14B-Reasoning-2512', 'v13'],
];

const inputs = [
  '{"city": "Oslo"}',
  '{"city": "Zürich \\"q\\" \\n 🙂", "days": 2}',
  '{"city": "", "days": 1234567890123456789}',
];
const call = (input: string, index: number) => ({
  id: `abcdefgh${index}`,
  type: 'function' as const,
  function: { name: 'get_weather', arguments: input },
});
const messages: readonly AssistantMessage[] = ['', 'Let me look.'].flatMap((content) => [
  ...inputs.map((input) => ({ role: 'assistant' as const, content, tool_calls: [call(input, 1)] })),
  { role: 'assistant', content, tool_calls: inputs.map(call) },
  { role: 'assistant', content: `${content} Sunny **now**.\n\n- é` },
]);

/** Texts of a demanded call, with an id and without, also in other white space and of other tools. */
const demanded: readonly string[] = ['[ARGS]', '[CALL_ID]abcdefgh1[ARGS]'].flatMap((between) => [
  ...[...inputs, '{"city":"Oslo"}', '{}', '{"city": 3}', '{"city": "Oslo", "days": "x"}'].map(
    (input) => `[TOOL_CALLS]get_weather${between}${input}`,
  ),
  `[TOOL_CALLS]ping${between}{}`,
  `[TOOL_CALLS]ping${between}{}[TOOL_CALLS]ping${between}{}`,
  `[TOOL_CALLS]nothing${between}{}`,
]);

interface MistralAnswer {
  readonly id: number;
  readonly text?: string;
  readonly allowed?: readonly boolean[];
  readonly error?: string;
}

/** Readings of their texts, texts that both grammars allow or refuse, and prompts. */
export async function compareMistral(): Promise<readonly Comparison[]> {
  const all: Comparison[] = [];
  for (const [name, version] of versions) {
    const { format } = analyzeTemplate((await llamaTemplate(name)).source);
    const questions = messages.map((message, id) => ({ id, version, message }));
    const grammar = { id: messages.length, version, tools, texts: demanded };
    const answers = new Map(
      askPython<MistralAnswer>('mistral.py', [...questions, grammar]).map((each) => [each.id, each]),
    );
    for (const { id, message } of questions) all.push(compareText(name, format, message, answers.get(id)));
    all.push(...compareGrammar(name, format, answers.get(messages.length)));
  }
  return [...all, ...compareMistralPrompts()];
}

function compareText(
  name: string,
  format: ChatFormat,
  message: AssistantMessage,
  answer: MistralAnswer | undefined,
): Comparison {
  const text = answer?.text ?? '';
  const theirs: Reading = {
    reasoning: '',
    content: typeof message.content === 'string' ? message.content : '',
    calls: (message.tool_calls ?? []).map(({ function: called }) => [called.name, called.arguments]),
  };
  const prompt = format.turn.start + format.turn.prompt.unset;
  const recorded = { template: `llama/${name}`, prompt, text, tools: true as const, theirs };
  const { ours } = readAsRecorded(format, recorded);
  const same = canonical(ours) === canonical(theirs);
  return {
    mode: 'text',
    verdict: same ? 'agree' : 'understood differently',
    subject: `llama/${name}`,
    text: answer?.error ?? text,
    ours: canonical(ours),
    theirs: canonical(theirs),
    recorded,
  };
}

function compareGrammar(
  name: string,
  format: ChatFormat,
  answer: MistralAnswer | undefined,
): readonly Comparison[] {
  const { grammar } = buildGrammar(format, { tools, toolChoice: 'required' });
  return demanded.map((text, index): Comparison => {
    const matcher = createGbnfMatcher(grammar ?? '');
    const ours = matcher.accept(text) && matcher.complete;
    const theirs = answer?.allowed?.[index];
    return {
      mode: 'grammar',
      verdict: ours === theirs ? 'agree' : 'understood differently',
      subject: `llama/${name}`,
      text,
      ours: String(ours),
      theirs: String(theirs ?? answer?.error),
    };
  });
}
