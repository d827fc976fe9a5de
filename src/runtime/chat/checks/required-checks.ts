/** Which checks of a response the report of its grammar requires. */
import type { SchemaIssue } from '../../../format/errors.ts';
import type { JsonSchema, Tool } from '../../../format/messages.ts';
import { type CheckedPlace, checkedPlaces } from '../../../json-schema/validate/checked-places.ts';
import type { Steps } from '../../../language/expression/steps.ts';
import type { ResponseChecks } from './response-checks.ts';

/** The checks that `report` requires, in steps; `null` if none. Throws `SchemaError`. */
export function* requiredChecks(
  report: readonly SchemaIssue[],
  tools: readonly Tool[],
  answer: JsonSchema | null,
): Steps<ResponseChecks | null> {
  const checked = report.filter(({ effect }) => effect === 'checked');
  if (checked.length === 0) return null;
  const pointers = (name: string) =>
    checked.filter(({ tool }) => tool === name).map(({ pointer }) => pointer);
  const places = new Map<string, CheckedPlace>();
  for (const { function: tool } of tools) {
    const own = pointers(tool.name);
    if (own.length > 0 && tool.parameters !== undefined)
      places.set(tool.name, yield* checkedPlaces(tool.parameters, own, tool.name));
  }
  const own = pointers('');
  const isChecked = own.length > 0 && answer !== null;
  return { tools: places, answer: isChecked ? yield* checkedPlaces(answer, own, '') : null };
}
