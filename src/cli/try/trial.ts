/** Asks a model the questions in one template, free or enforced, and counts. */
import { createResponseParser } from '../../codegen/create-response-parser.ts';
import type { ChatFormat } from '../../format/chat-format.ts';
import { IdiolectError } from '../../format/errors.ts';
import { compileValidator } from '../../json-schema/validate/validate.ts';
import type { ResponseMessage } from '../../parser/events.ts';
import type { ChatModel } from '../../runtime/node-llama-cpp/chat-model.ts';
import type { PlainEngine } from '../../runtime/node-llama-cpp/plain-engine.ts';
import { readGenerationPrompt } from '../../template/prompt/generation-prompt.ts';
import { renderPrompt } from '../../template/prompt/render-prompt.ts';
import { type MadeCall, type Question, rate } from './question.ts';
import { trialQuestions, trialTools } from './questions.ts';

/** A template to try: the model's own, or that in a tool format. */
export interface TriedTemplate {
  /** `own`, or what the tool format is called. */
  readonly name: string;
  readonly templateSource: string;
  readonly format: ChatFormat;
  readonly specialTokens: { readonly bosToken?: string; readonly eosToken?: string };
}

/** How many of the questions of one kind were answered rightly. */
export interface Score {
  readonly right: number;
  readonly asked: number;
}

/** What was counted in one template and mode. */
export interface TrialRow {
  readonly template: string;
  /** `free`: the model writes what it likes. `enforced`: as in a chat, with `toolChoice: 'auto'`. */
  readonly mode: 'free' | 'enforced';
  /** Free answers to questions that need calls, with calls exactly as the template shows them; `null` if enforced. */
  readonly kept: Score | null;
  /** One call is needed: the right one, with the right values. */
  readonly one: Score;
  /** Several calls are needed: all of them, and no other. */
  readonly several: Score;
  /** No call is needed: none. */
  readonly none: Score;
  /** Calls that do not fit their schema. */
  readonly invalid: number;
  readonly seconds: number;
}

/** The calls of one answer; `kept`: they are written as the template shows them. */
interface TrialAnswer {
  readonly calls: readonly MadeCall[];
  readonly kept: boolean;
}

/** Answers a question; `null` if the response failed. */
export type Answerer = (question: Question) => Promise<TrialAnswer | null>;

/** The same text every time; calls need fewer tokens. */
const sampling = { temperature: 0, topK: 40, topP: 0.95, seed: 1, maxTokens: 200 } as const;

/** Answers without a grammar. Calls are read with all leniency, and not checked. */
export function freely(engine: PlainEngine, tried: TriedTemplate): Answerer {
  const { templateSource, format, specialTokens } = tried;
  return async ({ text: content }) => {
    const options = { messages: [{ role: 'user' as const, content }], tools: trialTools, ...specialTokens };
    const prompt = renderPrompt(templateSource, { ...options, input: format.input });
    const generationPrompt = readGenerationPrompt({ templateSource, options, text: prompt }, format.turn);
    const { text, cut } = await engine.write(prompt, sampling);
    const read = (leniency: 'lenient' | 'strict') => {
      const parser = createResponseParser(format, { tools: trialTools, generationPrompt, leniency });
      parser.feed(text);
      return parser.finish(cut ? 'length' : 'stop').message;
    };
    const strict = read('strict');
    return {
      calls: callsOf(read('lenient')),
      kept: callsOf(strict).length > 0 && strict.malformed === undefined,
    };
  };
}

/** Answers as in a chat. */
export function enforced(model: Pick<ChatModel, 'chat'>): Answerer {
  const { temperature, maxTokens } = sampling;
  return async ({ text: content }) => {
    const messages = [{ role: 'user' as const, content }];
    try {
      const response = model.chat({ messages, tools: trialTools, temperature, maxTokens });
      return { calls: callsOf(await response.message), kept: true };
    } catch (error) {
      if (error instanceof IdiolectError) return null;
      throw error;
    }
  };
}

function callsOf({ tool_calls: calls = [] }: ResponseMessage): readonly MadeCall[] {
  return calls.map(({ function: { name, arguments: json } }) => ({ name, arguments: JSON.parse(json) }));
}

const validators = new Map(
  trialTools.map(({ function: { name, parameters = true } }) => [name, compileValidator(parameters)]),
);

function isInvalid(made: MadeCall): boolean {
  return (validators.get(made.name)?.(JSON.parse(JSON.stringify(made.arguments))) ?? [null]).length > 0;
}

/** Asks all questions; `asked` is called after each. */
export async function tryQuestions(
  row: Pick<TrialRow, 'template' | 'mode'>,
  answer: Answerer,
  asked: (count: number) => void,
): Promise<TrialRow> {
  const start = performance.now();
  const answers: { readonly question: Question; readonly given: TrialAnswer | null }[] = [];
  for (const question of trialQuestions) {
    answers.push({ question, given: await answer(question) });
    asked(answers.length);
  }
  const score = (
    needed: (calls: number) => boolean,
    isRight: (each: (typeof answers)[number]) => boolean,
  ) => {
    const chosen = answers.filter(({ question }) => needed(question.calls.length));
    return { right: chosen.filter(isRight).length, asked: chosen.length };
  };
  const isRight = ({ question, given }: (typeof answers)[number]) =>
    given !== null && rate(question, given.calls).all;
  return {
    ...row,
    kept:
      row.mode === 'free'
        ? score(
            (calls) => calls > 0,
            ({ given }) => given?.kept === true,
          )
        : null,
    one: score((calls) => calls === 1, isRight),
    several: score((calls) => calls > 1, isRight),
    none: score((calls) => calls === 0, isRight),
    invalid: answers.flatMap(({ given }) => given?.calls ?? []).filter(isInvalid).length,
    seconds: Math.round((performance.now() - start) / 100) / 10,
  };
}
