/** What a model is asked, which calls are expected, and how its calls are rated. */
import type { JsonValue, Tool } from '../../format/messages.ts';

/** Whether an argument is right. */
export type Check = (value: unknown) => boolean;

/** An expected call: its tool, and what its arguments must hold; other arguments may have any value. */
export interface ExpectedCall {
  readonly name: string;
  readonly checks: Readonly<Record<string, Check>>;
}

/** A question to a model with tools. No expected call: the model should answer in words. */
export interface Question {
  readonly id: string;
  readonly text: string;
  readonly calls: readonly ExpectedCall[];
}

/** Questions with the tools that are offered for all of them. */
export interface QuestionSet {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly questions: readonly Question[];
}

/** A call that a model made. */
export interface MadeCall {
  readonly name: string;
  readonly arguments: object;
}

/** How the calls of a response compare with the expected ones. */
export interface Rating {
  /** Called where a call was expected, and only there. */
  readonly decision: boolean;
  /** The first call is of the right tool. */
  readonly tool: boolean;
  /** And all its arguments are right. */
  readonly values: boolean;
  /** All calls are there, in order, and right. */
  readonly all: boolean;
}

/** Rates the calls of a response. */
export function rate({ calls: expected }: Question, made: readonly MadeCall[]): Rating {
  const tool = expected.length > 0 && expected[0]?.name === made[0]?.name;
  return {
    decision: expected.length > 0 === made.length > 0,
    tool,
    values: tool && isRight(expected[0], made[0]),
    all: expected.length === made.length && expected.every((each, index) => isRight(each, made[index])),
  };
}

function isRight(expected: ExpectedCall | undefined, made: MadeCall | undefined): boolean {
  if (expected === undefined || expected.name !== made?.name) return false;
  const values = new Map(Object.entries(made.arguments));
  return Object.entries(expected.checks).every(([key, check]) => check(values.get(key)));
}

/** Exactly one of these values. */
export function one(...values: readonly JsonValue[]): Check {
  const texts = values.map((value) => JSON.stringify(value));
  return (value) => texts.includes(JSON.stringify(value));
}

/** A text that contains all of these, in any case. */
export function has(...words: readonly string[]): Check {
  return (value) =>
    typeof value === 'string' && words.every((word) => value.toLowerCase().includes(word.toLowerCase()));
}

/** An expected call. */
export function call(name: string, checks: Readonly<Record<string, Check>>): ExpectedCall {
  return { name, checks };
}
