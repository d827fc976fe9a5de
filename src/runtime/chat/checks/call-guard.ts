/**
 * The last guard: what is handed out as a call, or as an answer to a schema, was written under its grammar from its
 * first character to its last, or it passes its validator. The same for every engine and policy.
 */
import type { SchemaIssue } from '../../../format/errors.ts';
import type { JsonObject, JsonValue, Tool } from '../../../format/messages.ts';
import { isTooLarge } from '../../../json-schema/validate/schema-size.ts';
import type { Assurance } from '../../../parser/events.ts';
import { type LibraryCheck, libraryCheck, libraryChecks } from '../../../tools/library-check.ts';
import { toolsOfChoice } from '../../../tools/tool-choice.ts';
import type { ChatOptions } from '../chat-options.ts';
import { answerCheck, argumentChecks } from './argument-checks.ts';
import { EnforcedText, type EnforcedThoughts } from './enforced-text.ts';
import { type AnswerOptions, answersJson, mayCallInstead, watchesAnswer } from './json-or-calls.ts';

/** What the guard knows about an answer to a schema. */
interface AnswerVerdict {
  /** What is wrong with it; empty if nothing is. */
  readonly problems: readonly string[];
  readonly assurance: Assurance;
}

/** Guards the calls and the answer of one response. */
export interface CallGuard {
  /** Follows which text a grammar wrote; the parser asks it. */
  readonly enforced: EnforcedText;
  /** Lists what is wrong with a call that no grammar enforced. */
  readonly validate: (toolName: string, input: JsonObject) => readonly string[];
  /** The verdict on an answer; `null` if no JSON was requested. `isEnforced`: the grammar allowed all of it. */
  readonly judgeAnswer: ((text: string, isEnforced: boolean) => AnswerVerdict) | null;
}

/**
 * The guard of a chat. `report`: where its grammar differs from the schemas; `thoughts`: those that it allows;
 * `hasThoughts`: whether the format has any.
 */
export function callGuard(
  options: Pick<ChatOptions, 'tools'> & AnswerOptions,
  tools: readonly Tool[],
  report: readonly SchemaIssue[],
  thoughts: EnforcedThoughts | null = null,
  hasThoughts = true,
): CallGuard {
  const uncheckable = new Set(tools.filter(hasLargeSchema).map((tool) => tool.function.name));
  // A schema that is too large to validate can be no more than enforced as far as the report says.
  const isOpen = ({ effect, tool }: SchemaIssue): boolean =>
    effect === 'widened' || (effect === 'checked' && tool === '' && !watchesAnswer(options, hasThoughts));
  const reported = report.filter(isOpen).map(({ tool }) => tool);
  // What is read as a call may have been written as an answer, and the other way round.
  const mistakable = mayCallInstead(options, tools) ? ['', ...tools.map((tool) => tool.function.name)] : [];
  const widened = new Set([...reported, ...mistakable].filter((tool) => !uncheckable.has(tool)));
  // Enforced but for a rare case, in which the validator finds it out.
  const noted = new Set(
    report.flatMap(({ effect, tool }) => (effect === 'noted' && !uncheckable.has(tool) ? [tool] : [])),
  );
  const check = argumentChecks(tools);
  const ask = libraryChecks(options.tools ?? []);
  const allProblems = (toolName: string, input: JsonObject): readonly string[] => {
    const problems = check(toolName, input);
    return problems.length > 0 ? problems : ask(toolName, input);
  };
  const allowed = new Set(toolsOfChoice(tools, options.toolChoice).map((tool) => tool.function.name));
  const checkAnswer = answersJson(options) ? answerCheck(options.responseFormat) : null;
  const askAnswer = answerLibrary(options.responseFormat);
  const isExact = !widened.has('') && !noted.has('');
  return {
    enforced: new EnforcedText(
      new Set([...allowed].filter((name) => !widened.has(name))),
      thoughts,
      (toolName, input) => (noted.has(toolName) ? allProblems : ask)(toolName, input),
    ),
    validate: (toolName, input) =>
      allowed.has(toolName) ? allProblems(toolName, input) : [notAllowed(toolName, allowed)],
    judgeAnswer:
      checkAnswer === null
        ? null
        : (text, isEnforced) =>
            judgeAnswer(text, {
              isEnforced: isEnforced && !widened.has(''),
              check: isEnforced && isExact ? null : checkAnswer,
              library: askAnswer,
            }),
  };
}

/** Asks the library of an answer's schema; `null` if it has none. */
function answerLibrary(format: ChatOptions['responseFormat']): LibraryCheck | null {
  return format?.type === 'json_schema' ? libraryCheck(format.json_schema.schema) : null;
}

function hasLargeSchema({ function: { parameters } }: Tool): boolean {
  return parameters !== undefined && isTooLarge(parameters);
}

function notAllowed(toolName: string, allowed: ReadonlySet<string>): string {
  const names = [...allowed].map((name) => JSON.stringify(name)).join(', ');
  return `the tool ${JSON.stringify(toolName)} is not allowed here, only ${names}`;
}

/** What is known about an answer, and who judges it beyond that: nobody where nothing may be wrong. */
interface AnswerJudges {
  readonly isEnforced: boolean;
  readonly check: ((value: JsonValue) => readonly string[]) | null;
  readonly library: LibraryCheck | null;
}

function judgeAnswer(text: string, { isEnforced, check, library }: AnswerJudges): AnswerVerdict {
  const assurance = isEnforced ? 'enforced' : 'validated';
  if (check === null && library === null) return { problems: [], assurance };
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return { problems: ['the answer is not JSON'], assurance };
  }
  const problems = check?.(value) ?? [];
  const refused = problems.length > 0 ? [] : (library?.problemsOf(value) ?? []);
  return { problems: [...problems, ...refused.map(({ text: problem }) => problem)], assurance };
}
