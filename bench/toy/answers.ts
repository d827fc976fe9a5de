/** What came back from the toy, by whichever way it was asked, and whether it is what it should be. */
import { Ajv } from 'ajv';
import type { Question } from '../../scripts/toy/questions.ts';
import type { Message } from '../../src/format/messages.ts';

/** A response, as the caller gets it. */
export interface Answer {
  /** Arguments are text, as the way delivers them: checked here, by a judge that none of the ways knows. */
  readonly calls: readonly { readonly name: string; readonly arguments: string }[];
  /** Processor time in milliseconds. */
  readonly milliseconds: number;
  /** Tokens of the response that were sampled, and those that were given without sampling. */
  readonly sampled: number;
  readonly injected: number;
}

/** One way to ask a model that was opened for it. */
export interface Way {
  readonly name: string;
  /** `toolChoice`: `auto` by default. */
  ask(question: Question, toolChoice?: 'auto' | 'required'): Promise<Answer>;
  close(): Promise<void>;
}

const ajv = new Ajv({ strict: false });

/** At least one call, each of a tool on offer, with arguments that its schema takes. */
export function isValid({ calls }: Pick<Answer, 'calls'>, { tools }: Question): boolean {
  return (
    calls.length > 0 &&
    calls.every(({ name, arguments: input }) => {
      const tool = tools.find((each) => each.function.name === name);
      const value = parsed(input);
      return tool !== undefined && value !== undefined && ajv.validate(tool.function.parameters ?? {}, value);
    })
  );
}

/** The calls that were asked for, with every argument as it should be. */
export function isRight({ calls }: Pick<Answer, 'calls'>, { messages }: Question): boolean {
  const expected = firstCalls(messages);
  return (
    calls.length === expected.length &&
    calls.every(({ name, arguments: input }, index) => {
      const call = expected[index];
      return call?.name === name && sorted(parsed(input)) === sorted(parsed(call.arguments));
    })
  );
}

function firstCalls(messages: readonly Message[]): readonly { name: string; arguments: string }[] {
  const answer = messages.find((message) => message.role === 'assistant');
  const calls = answer?.role === 'assistant' ? (answer.tool_calls ?? []) : [];
  return calls.map(({ function: call }) => call);
}

/** Everything before the toy's first turn. */
export function beforeAnswer(messages: readonly Message[]): readonly Message[] {
  return messages.slice(
    0,
    messages.findIndex(({ role }) => role === 'assistant'),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sorted(value: unknown): string {
  const entries = Object.entries(value ?? {});
  return JSON.stringify(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
