/** Asks the questions of a set in every mode, and rates what comes back. */

import { type Question, type QuestionSet, type Rating, rate } from '../../../src/cli/try/question.ts';
import type { JsonObject, Tool } from '../../../src/format/messages.ts';
import type { JudgedModel, TimedResponse } from './judged-model.ts';
import { type AskedRequest, type ModeName, requestOf } from './modes.ts';
import { type Sampling, samplingOf } from './sampling.ts';
import { isValidAnswer, Validity } from './validity.ts';

/** One response, rated. */
export interface Verdict {
  readonly question: Question;
  readonly mode: ModeName;
  readonly seed: number;
  readonly response: TimedResponse;
  readonly rating: Rating;
  /** Calls, or the answer, that do not fit their schema. */
  readonly invalid: number;
  /** Calls that were handed out neither enforced nor validated. */
  readonly unassured: number;
}

/** What is asked, and how. */
export interface Asking {
  readonly model: JudgedModel;
  readonly set: QuestionSet;
  readonly modes: readonly ModeName[];
  /** How often each question is asked, with the seeds 1, 2, …; once is enough at temperature 0. */
  readonly samples: number;
  readonly temperature: number;
  readonly maxTokens: number;
}

/** The verdicts, one after another. The order of the modes alternates, so that other load falls on all alike. */
export async function* askQuestions(asking: Asking): AsyncGenerator<Verdict> {
  const { set, modes, samples, temperature, maxTokens } = asking;
  const validity = new Validity(set.tools);
  let turn = 0;
  for (const question of set.questions) {
    for (let seed = 1; seed <= samples; seed++) {
      const sampling = samplingOf(temperature, seed, maxTokens);
      const ordered = turn++ % 2 === 0 ? modes : modes.toReversed();
      for (const mode of ordered) {
        const request = requestOf(mode, question, set.tools);
        if (request === null) continue;
        const response = await answer(asking.model, request, set.tools, sampling);
        yield { question, mode, seed, response, ...judge(request, question, response, validity) };
      }
    }
  }
}

function answer(
  model: JudgedModel,
  { options, free }: AskedRequest,
  tools: readonly Tool[],
  sampling: Sampling,
): Promise<TimedResponse> {
  return free
    ? model.askFree(options, options.tools === undefined ? [] : tools, sampling)
    : model.ask(options, sampling);
}

function judge(
  { schema, otherwise }: AskedRequest,
  question: Question,
  response: TimedResponse,
  validity: Validity,
): Pick<Verdict, 'rating' | 'invalid' | 'unassured'> {
  const { calls, content } = response;
  if (schema === null) {
    const isWhole = !response.cut && response.thrown === null;
    const isAnswer = otherwise !== undefined && calls.length === 0 && isWhole;
    const wrong = isAnswer && !isValidAnswer(otherwise, content) ? 1 : 0;
    const invalid = calls.filter((each) => !validity.isValid(each)).length + wrong;
    const unassured = calls.filter(({ assurance }) => assurance === 'none').length;
    return { rating: rate(question, calls), invalid, unassured };
  }
  // An answer by the schema of a tool is rated like a call of it.
  const isInvalid = !response.cut && !isValidAnswer(schema, content);
  const name = question.calls[0]?.name ?? '';
  const made = isInvalid || response.cut ? [] : [{ name, arguments: objectOf(content) }];
  return { rating: rate(question, made), invalid: isInvalid ? 1 : 0, unassured: 0 };
}

function objectOf(json: string): JsonObject {
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null ? (value as JsonObject) : {};
}
