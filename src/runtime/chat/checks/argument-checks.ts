/** Validators for what no grammar has enforced: the arguments of calls, and answers to a schema. */
import type { JsonObject, JsonValue, Tool } from '../../../format/messages.ts';
import { type ArgumentValidator, argumentValidator } from '../../../grammar/argument-validator.ts';
import type { ResponseFormat } from '../../../grammar/grammar-options.ts';
import { compileValidator, describeFailure } from '../../../json-schema/validate/validate.ts';
import { toJsonSchema } from '../../../tools/standard-schema.ts';

/** Lists what is wrong with arguments of one tool. */
type Check = (input: JsonObject) => readonly string[];

/** Lists what is wrong with the arguments of a call of `tools`. */
export function argumentCheck(tools: readonly Tool[]): ArgumentValidator {
  const offered = new Map(tools.map((tool) => [tool.function.name, tool]));
  const known = new Map<string, Check>();
  return (toolName, input) => {
    const tool = offered.get(toolName);
    if (tool === undefined) return [`no tool ${JSON.stringify(toolName)} was offered`];
    const check = known.get(toolName) ?? checkOf(tool);
    known.set(toolName, check);
    return check(input);
  };
}

/** How many compiled checks are kept, the latest ones: a client sends the same tools with each request. */
const maxChecks = 256;
const checks = new Map<string, Check>();

function checkOf(tool: Tool): Check {
  const { name, parameters } = tool.function;
  const key = JSON.stringify([name, parameters]);
  const check = checks.get(key) ?? newCheck(tool);
  // Moved to the end, so that the first entry is the least recently used.
  checks.delete(key);
  checks.set(key, check);
  const [oldest] = checks.keys();
  if (checks.size > maxChecks && oldest !== undefined) checks.delete(oldest);
  return check;
}

function newCheck(tool: Tool): Check {
  const validate = argumentValidator([tool]);
  return (input) => validate(tool.function.name, input);
}

/** Lists what is wrong with an answer; `null` if no JSON was requested. */
export function answerCheck(
  format: ResponseFormat | undefined,
): ((value: JsonValue) => readonly string[]) | null {
  if (format === undefined || format.type === 'text') return null;
  if (format.type === 'json_object') return (value) => (isObject(value) ? [] : ['it is not an object']);
  const { schema } = format.json_schema;
  return (value) => compileValidator(toJsonSchema(schema))(value).map(describeFailure);
}

function isObject(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
