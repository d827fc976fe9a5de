/** The check that comes with a compiled schema. */
import type { JsonSchema, JsonValue } from '../../src/format/messages.ts';
import type { CompiledSchema } from '../../src/json-schema/compile-schema.ts';
import { compileValidator, type ValidationOptions } from '../../src/json-schema/validate/validate.ts';

/** Says which values a chat lets through that the grammar accepts: all where the report has nothing that is checked. */
export function checkOf(
  schema: JsonSchema,
  { issues }: CompiledSchema,
  options: ValidationOptions = {},
): (value: JsonValue) => boolean {
  if (!issues.some(({ effect }) => effect === 'checked')) return () => true;
  const validate = compileValidator(schema, '', options);
  return (value) => {
    try {
      return validate(value).length === 0;
    } catch {
      // What cannot be judged is not let through.
      return false;
    }
  };
}
