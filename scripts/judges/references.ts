/** The references, each with the comparison that it makes. */
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { llamaTemplate } from '../../test/support/corpora.ts';
import { drawHarmony, type HarmonyResponse } from './draw-harmony.ts';
import { type DrawnResponse, drawResponses } from './draw-responses.ts';
import { askPython } from './python.ts';
import { type Answer, canonical, judge, type Reading, type Verdict } from './reading.ts';

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
}

/** A reading as `test/references` has it. */
export interface RecordedReading {
  readonly template: string;
  readonly prompt: string;
  readonly text: string;
  /** The response was cut short here. */
  readonly cut?: true;
  readonly theirs: Reading;
}

/** By name. */
export const references: ReadonlyMap<string, () => Promise<readonly Comparison[]>> = new Map([
  ['vllm', () => compareParsers('vllm', 'vllm_parsers.py')],
  ['sglang', () => compareParsers('sglang', 'sglang_parsers.py')],
  ['harmony', compareHarmony],
]);

interface ParserAnswer {
  readonly id: number;
  readonly whole: Answer;
  readonly streamed: Answer;
}

async function compareParsers(name: 'vllm' | 'sglang', script: string): Promise<readonly Comparison[]> {
  const drawn = (await drawResponses()).filter((each) => each[name].some((parser) => parser !== null));
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
    ...('error' in theirs ? {} : { recorded: { template, prompt, text, theirs } }),
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
  const read = (mode: string, text: string, theirs: Answer): Comparison => {
    const ours = readHarmony(format, text, mode === 'cut');
    const same = !('error' in theirs) && canonical(ours) === canonical(theirs);
    const cut = mode === 'cut' ? { cut: true as const } : {};
    return {
      mode,
      verdict: same ? 'agree' : 'understood differently',
      subject: `llama/${name}`,
      text,
      ours: canonical(ours),
      theirs: 'error' in theirs ? theirs.error : canonical(theirs),
      ...('error' in theirs
        ? {}
        : { recorded: { template: `llama/${name}`, prompt: format.turn.start, text, ...cut, theirs } }),
    };
  };
  return drawn.flatMap(({ id, text }: HarmonyResponse) => {
    const answer = answers.get(id);
    if (answer === undefined) return [];
    return [
      read('whole', text, answer.whole),
      ...answer.cuts.map((cut) => read('cut', cut.text, cut.reading)),
    ];
  });
}

/** A call that is being written counts, as it does there: its arguments so far. */
function readHarmony(format: ChatFormat, text: string, isCut: boolean): Reading {
  const parser = createResponseParser(format, { generationPrompt: format.turn.start });
  const events = [...parser.feed(text)];
  const { message, events: last } = parser.finish(isCut ? 'length' : 'stop');
  const calls = (message.tool_calls ?? []).map(
    ({ function: called }) => [called.name, called.arguments] as const,
  );
  const broken = [...events, ...last].flatMap((event) =>
    event.type === 'malformed' && event.brokenCall !== undefined
      ? [[event.brokenCall.toolName, event.brokenCall.input] as const]
      : [],
  );
  return {
    reasoning: message.reasoning_content ?? '',
    content: message.content ?? '',
    calls: isCut ? [...calls, ...broken] : calls,
  };
}
