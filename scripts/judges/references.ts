/** The references, each with the comparison that it makes. */
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { llamaTemplate } from '../../test/support/corpora.ts';
import { compareHarmonyPrompts, type RecordedPrompt } from './compare-harmony-prompts.ts';
import { compareMistral } from './compare-mistral.ts';
import type { RecordedMistralPrompt } from './compare-mistral-prompts.ts';
import { comparePrompts } from './compare-prompts.ts';
import { compareTags } from './compare-tags.ts';
import { drawHarmony, type HarmonyResponse } from './draw-harmony.ts';
import { type Amount, type DrawnResponse, drawResponses } from './draw-responses.ts';
import { askPython } from './python.ts';
import { type Answer, canonical, judge, type Reading, type Verdict } from './reading.ts';
import { type RecordedReading, readAsRecorded } from './recorded-reading.ts';

/** One reading of a response by both. */
export interface Comparison {
  readonly mode: string;
  readonly verdict: Verdict;
  /** What it is about: a template, and the kind of response. */
  readonly subject: string;
  readonly text: string;
  readonly ours: string;
  readonly theirs: string;
  /** What tests need to repeat it: the template, the prompt, the text and what the reference made of it. */
  readonly recorded?: RecordedReading;
  /** The source of its template, if no corpus has it. */
  readonly source?: string;
  /** The same for a prompt. */
  readonly recordedPrompt?: RecordedPrompt | RecordedMistralPrompt;
}

type Judgement = (amount: Amount) => Promise<readonly Comparison[]>;

/** By name. */
export const references: ReadonlyMap<string, Judgement> = new Map<string, Judgement>([
  ['vllm', (amount) => compareParsers('vllm', 'vllm_parsers.py', amount)],
  ['sglang', (amount) => compareParsers('sglang', 'sglang_parsers.py', amount)],
  ['harmony', compareHarmony],
  ['mistral', compareMistral],
  ['tags', compareTags],
  ['transformers', comparePrompts],
]);

interface ParserAnswer {
  readonly id: number;
  readonly whole: Answer;
  readonly streamed: Answer;
}

async function compareParsers(
  name: 'vllm' | 'sglang',
  script: string,
  amount: Amount,
): Promise<readonly Comparison[]> {
  const drawn = (await drawResponses(amount)).filter((each) => each[name].some((parser) => parser !== null));
  const answers = new Map(askPython<ParserAnswer>(script, drawn).map((each) => [each.id, each]));
  return drawn.flatMap((each) => {
    const answer = answers.get(each.id);
    return answer === undefined ? [] : [compare(each, answer, 'whole'), compare(each, answer, 'streamed')];
  });
}

function compare(drawn: DrawnResponse, answer: ParserAnswer, mode: 'whole' | 'streamed'): Comparison {
  const { template, prompt, text, written, name } = drawn;
  const theirs = answer[mode];
  const ours = drawn.ours[mode];
  return {
    mode,
    verdict: judge(written, ours, theirs),
    subject: `${template}, ${name}`,
    text,
    ours: canonical(ours),
    theirs: 'error' in theirs ? theirs.error : canonical(theirs),
    ...('error' in theirs ? {} : { recorded: { template, prompt, text, tools: true as const, theirs } }),
  };
}

interface HarmonyAnswer {
  readonly id: number;
  readonly whole: Answer;
  readonly cuts: readonly { readonly text: string; readonly reading: Reading; readonly state: string }[];
}

async function compareHarmony(): Promise<readonly Comparison[]> {
  const name = 'openai-gpt-oss-120b';
  const { format } = analyzeTemplate((await llamaTemplate(name)).source);
  const drawn = drawHarmony();
  const answers = new Map(askPython<HarmonyAnswer>('harmony.py', drawn).map((each) => [each.id, each]));
  const read = (mode: string, text: string, answer: Answer): Comparison => {
    const cut = mode === 'cut' ? { cut: true as const } : {};
    const failed = 'error' in answer;
    const theirs = failed ? { reasoning: '', content: '', calls: [] } : answer;
    const recorded = { template: `llama/${name}`, prompt: format.turn.start, text, ...cut, theirs };
    const compared = readAsRecorded(format, recorded);
    const same = !failed && canonical(compared.ours) === canonical(compared.theirs);
    return {
      mode,
      verdict: same ? 'agree' : 'understood differently',
      subject: `llama/${name}`,
      text,
      ours: canonical(compared.ours),
      theirs: failed ? answer.error : canonical(compared.theirs),
      ...(failed ? {} : { recorded }),
    };
  };
  const responses = drawn.flatMap(({ id, text }: HarmonyResponse) => {
    const answer = answers.get(id);
    if (answer === undefined) return [];
    return [
      read('whole', text, answer.whole),
      ...answer.cuts.map((cut) => read('cut', cut.text, cut.reading)),
    ];
  });
  return [...responses, ...(await compareHarmonyPrompts())];
}
