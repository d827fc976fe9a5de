/** Mistral's own texts of messages, and its grammars of demanded calls, next to ours. */
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createGbnfMatcher } from '../../src/language/gbnf/gbnf-expression.ts';
import { llamaTemplate } from '../../test/support/corpora.ts';
import { compareMistralPrompts } from './compare-mistral-prompts.ts';
import { tools } from './drawn-tools.ts';
import {
  type MistralTemplate,
  type MistralText,
  type MistralVersion,
  mistralTemplates,
} from './mistral-versions.ts';
import { askPython } from './python.ts';
import { canonical, type Reading } from './reading.ts';
import { readAsRecorded } from './recorded-reading.ts';
import type { Comparison } from './references.ts';
import { spoken } from './spoken-message.ts';

/** Templates of models with the versions of Mistral's grammars. */
const grammarVersions: readonly (readonly [template: string, version: string])[] = [
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
const texts = ['Let me look.', 'It is **hot**.\n\n- é 🙂', 'In JSON: {"x": [1]} and <b>.'];

/** Messages of what a version can write. */
function drawMessages({ calls, parallel, old, thinks }: MistralVersion): readonly AssistantMessage[] {
  const single = inputs.map((input) => [call(input, 1)]);
  const called = calls ? [...single, ...(parallel ? [inputs.map(call)] : [])] : [];
  const thoughts = thinks ? ['', 'Hm.', 'One.\n\nTwo.'] : [''];
  return thoughts.flatMap((thought) => [
    ...texts.map((text) => spoken(text, thought, [])),
    ...(old ? [''] : ['', ...texts]).flatMap((text) => called.map((made) => spoken(text, thought, made))),
  ]);
}

/** Texts of a demanded call, with an id and without, also in other white space and of other tools. */
const demanded: readonly string[] = ['[ARGS]', '[CALL_ID]abcdefgh1[ARGS]'].flatMap((between) => [
  ...[...inputs, '{"city":"Oslo"}', '{}', '{"city": 3}', '{"city": "Oslo", "days": "x"}'].map(
    (input) => `[TOOL_CALLS]get_weather${between}${input}`,
  ),
  `[TOOL_CALLS]ping${between}{}`,
  `[TOOL_CALLS]ping${between}{}[TOOL_CALLS]ping${between}{}`,
  `[TOOL_CALLS]nothing${between}{}`,
]);

interface GrammarAnswer {
  readonly id: number;
  readonly allowed?: readonly boolean[];
  readonly error?: string;
}

/** Readings of their texts, texts that both grammars allow or refuse, and prompts. */
export async function compareMistral(): Promise<readonly Comparison[]> {
  const templates = mistralTemplates();
  const all = [...compareTexts(templates)];
  const questions = grammarVersions.map(([, version], id) => ({ id, version, tools, texts: demanded }));
  const answers = askPython<GrammarAnswer>('mistral.py', questions);
  for (const [index, [name]] of grammarVersions.entries()) {
    const { format } = analyzeTemplate((await llamaTemplate(name)).source);
    all.push(
      ...compareGrammar(
        name,
        format,
        answers.find(({ id }) => id === index),
      ),
    );
  }
  return [...all, ...compareMistralPrompts(templates)];
}

/** What they write of a message under every version, as we read it. */
function compareTexts(templates: readonly MistralTemplate[]): readonly Comparison[] {
  const cases = templates.flatMap((each) => drawMessages(each).map((message) => ({ ...each, message })));
  const questions = cases.map(({ version, message }, id) => ({ id, version, message }));
  const answers = new Map(askPython<MistralText>('mistral.py', questions).map((each) => [each.id, each]));
  return cases.map(({ name, source, format, message }, id) => ({
    ...compareText(name, format, message, answers.get(id)),
    source,
  }));
}

function compareText(
  name: string,
  format: ChatFormat,
  message: AssistantMessage,
  { text = '', error }: Partial<MistralText> = {},
): Comparison {
  const template = `mistral-common/${name}`;
  const theirs: Reading = {
    reasoning: message.reasoning_content ?? '',
    content: typeof message.content === 'string' ? message.content : '',
    calls: (message.tool_calls ?? []).map(({ function: called }) => [called.name, called.arguments]),
  };
  const prompt = format.turn.start + format.turn.prompt.unset;
  const recorded = { template, prompt, text, tools: true as const, theirs };
  const { ours } = readAsRecorded(format, recorded);
  const same = canonical(ours) === canonical(theirs);
  return {
    mode: 'text',
    verdict: same ? 'agree' : error === undefined ? 'understood differently' : 'theirs',
    subject: template,
    text: error ?? text,
    ours: canonical(ours),
    theirs: canonical(theirs),
    recorded,
  };
}

function compareGrammar(
  name: string,
  format: ChatFormat,
  answer: GrammarAnswer | undefined,
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
