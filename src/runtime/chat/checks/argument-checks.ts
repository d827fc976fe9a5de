/** Validators for what no grammar has enforced: the arguments of calls, and answers to a schema. */
import { isObject } from '../../../format/json-values.ts';
import type { JsonValue, Tool } from '../../../format/messages.ts';
import {
  type ArgumentCheck,
  type ArgumentValidator,
  argumentCheck,
  validatorOfTools,
} from '../../../grammar/argument-validator.ts';
import type { ResponseFormat } from '../../../grammar/grammar-options.ts';
import { compileValidator, describeFailure } from '../../../json-schema/validate/validate.ts';
import { toJsonSchema } from '../../../tools/standard-schema.ts';

/** Lists what is wrong with the arguments of a call of `tools`. */
export function argumentChecks(tools: readonly Tool[]): ArgumentValidator {
  return validatorOfTools(tools, checkOf);
}

/** How many compiled checks are kept, the latest ones: a client sends the same tools with each request. */
const maxChecks = 256;
const checks = new Map<string, ArgumentCheck>();

function checkOf(tool: Tool): ArgumentCheck {
  const { name, parameters } = tool.function;
  const key = JSON.stringify([name, parameters]);
  const check = checks.get(key) ?? argumentCheck(tool);
  // Moved to the end, so that the first entry is the least recently used.
  checks.delete(key);
  checks.set(key, check);
  const [oldest] = checks.keys();
  if (checks.size > maxChecks && oldest !== undefined) checks.delete(oldest);
  return check;
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
