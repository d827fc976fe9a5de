/** The thirty questions, ours next to the server's own parser: decisions, arguments, invalid calls. */
import { type MadeCall, type Question, rate } from '../../src/cli/try/question.ts';
import type { ServerModel } from '../../src/runtime/servers/index.ts';
import { Validity } from '../judge-models/asking/validity.ts';
import { ownQuestions } from '../judge-models/questions/asked.ts';
import { type JudgedServer, post } from './judged-server.ts';

const { tools, questions } = ownQuestions;
const validity = new Validity(tools);
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

/** Asks `count` questions in all ways; what came of each is told when it is known. */
export async function judgeQuestions(
  server: JudgedServer,
  model: ServerModel,
  count: number,
): Promise<Readonly<Record<string, Rated>>> {
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
  for (const toolChoice of ['auto', 'required'] as const)
    for (const [who, ask] of Object.entries({ ours, theirs })) {
      const sums = await rateAll(ask, toolChoice, count);
      rated[`${who}, ${toolChoice}`] = sums;
      console.error(`${who}, ${toolChoice}: ${JSON.stringify(sums)}`);
    }
  return rated;
}

async function rateAll(ask: Ask, toolChoice: Choice, count: number): Promise<Rated> {
  const open = questions.filter(({ calls }) => toolChoice === 'auto' || calls.length > 0).slice(0, count);
  const sums = { questions: 0, calls: 0, invalid: 0, rightDecision: 0, rightArguments: 0 };
  const rated: Rated = { ...sums, expectingCalls: 0, failed: 0 };
  const work = async (): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift())
      await rateOne(next, ask, toolChoice, rated);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return rated;
}

async function rateOne(question: Question, ask: Ask, toolChoice: Choice, rated: Rated): Promise<void> {
  const isExpected = question.calls.length > 0;
  rated.questions += 1;
  rated.expectingCalls += Number(isExpected);
  try {
    const made = await ask(question, toolChoice);
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
