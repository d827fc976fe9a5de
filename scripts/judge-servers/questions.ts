/** The thirty questions, ours next to the server's own parser: decisions, arguments, invalid calls. */
import { type MadeCall, type Question, type QuestionSet, rate } from '../../src/cli/try/question.ts';
import type { ServerModel } from '../../src/servers/index.ts';
import { Validity } from '../judge-models/asking/validity.ts';
import { type JudgedServer, post } from './judged-server.ts';

const limit = 200;

/** Sums over the questions. */
export interface Rated {
  questions: number;
  calls: number;
  invalid: number;
  rightDecision: number;
  /** Of the questions that expect calls. */
  rightArguments: number;
  expectingCalls: number;
  failed: number;
}

type Choice = 'auto' | 'required';
type Ask = (question: Question, toolChoice: Choice) => Promise<readonly MadeCall[]>;

/** Questions at once: a server writes several responses in little more than the time of one. */
const atOnce = 6;

/** Asks `count` questions of `asked` in all ways; what came of each is told when it is known. */
export async function judgeQuestions(
  server: JudgedServer,
  model: ServerModel,
  asked: QuestionSet,
  count: number,
): Promise<Readonly<Record<string, Rated>>> {
  const { tools } = asked;
  const ours: Ask = async ({ text }, toolChoice) => {
    const messages = [{ role: 'user', content: text }] as const;
    const chat = model.chat({ messages, tools, toolChoice, temperature: 0, maxTokens: limit });
    return (await chat.calls).map(({ name, arguments: given }) => ({ name, arguments: { ...given } }));
  };
  const theirs: Ask = async ({ text }, toolChoice) => {
    const messages = [{ role: 'user', content: text }];
    const body = { messages, tools, tool_choice: toolChoice, temperature: 0, max_tokens: limit };
    const answer = await post(server, '/v1/chat/completions', body);
    if (answer.status !== 200) throw new Error(answer.body);
    return readCalls(answer.body);
  };
  const rated: Record<string, Rated> = {};
  const validity = new Validity(tools);
  for (const toolChoice of ['auto', 'required'] as const)
    for (const [who, ask] of Object.entries({ ours, theirs })) {
      const questions = asked.questions
        .filter(({ calls }) => toolChoice === 'auto' || calls.length > 0)
        .slice(0, count);
      const sums = await rateAll(questions, (question) => ask(question, toolChoice), validity);
      rated[`${who}, ${toolChoice}`] = sums;
      console.error(`${who}, ${toolChoice}: ${JSON.stringify(sums)}`);
    }
  return rated;
}

type Made = (question: Question) => Promise<readonly MadeCall[]>;

async function rateAll(questions: readonly Question[], make: Made, validity: Validity): Promise<Rated> {
  const open = [...questions];
  const sums = { questions: 0, calls: 0, invalid: 0, rightDecision: 0, rightArguments: 0 };
  const rated: Rated = { ...sums, expectingCalls: 0, failed: 0 };
  const work = async (): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift())
      await rateOne(next, make, validity, rated);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return rated;
}

async function rateOne(question: Question, make: Made, validity: Validity, rated: Rated): Promise<void> {
  const isExpected = question.calls.length > 0;
  rated.questions += 1;
  rated.expectingCalls += Number(isExpected);
  try {
    const made = await make(question);
    const { decision, values } = rate(question, made);
    rated.calls += made.length;
    rated.invalid += made.filter((call) => !validity.isValid(call)).length;
    rated.rightDecision += Number(decision);
    rated.rightArguments += Number(isExpected && values);
  } catch (error) {
    rated.failed += 1;
    console.log(`${question.id}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readCalls(body: string): readonly MadeCall[] {
  const { choices } = JSON.parse(body) as {
    readonly choices: readonly {
      readonly message: {
        readonly tool_calls?: readonly { readonly function: { name: string; arguments: string } }[];
      };
    }[];
  };
  return (choices[0]?.message.tool_calls ?? []).map(({ function: { name, arguments: given } }) => ({
    name,
    arguments: JSON.parse(given),
  }));
}
