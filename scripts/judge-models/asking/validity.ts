/** Whether calls and answers are valid, by a judge of its own: ajv, which enforcement does not use. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema, Tool } from '../../../src/format/messages.ts';

const ajv = new Ajv2020({ strict: false, logger: false });

/** Judges the calls of these tools. */
export class Validity {
  readonly #validators: ReadonlyMap<string, ValidateFunction>;

  constructor(tools: readonly Tool[]) {
    this.#validators = new Map(
      tools.map(({ function: { name, parameters = true } }) => [name, compile(parameters)]),
    );
  }

  /** The tool was offered, and its arguments fit. */
  isValid(call: { readonly name: string; readonly arguments: object }): boolean {
    return this.#validators.get(call.name)?.(call.arguments) === true;
  }
}

/** Strangers' tools hold schemas that are none; any value fits those. */
function compile(schema: JsonSchema): ValidateFunction {
  try {
    return ajv.compile(schema);
  } catch {
    return ajv.compile(true);
  }
}

/** Whether this text is JSON that fits the schema. */
export function isValidAnswer(schema: JsonSchema, text: string): boolean {
  try {
    return ajv.validate(schema, JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
