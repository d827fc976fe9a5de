/** Limits of chat templates, response templates, grammars and patterns. */

import { picture } from '../../../src/codegen/pictures.ts';
import { TemplateError } from '../../../src/format/errors.ts';
import { formatGrammar } from '../../../src/grammar/format-grammar.ts';
import { StepBudget } from '../../../src/language/expression/budget.ts';
import { createMatcher } from '../../../src/language/matcher/matcher.ts';
import { patternTerm } from '../../../src/language/regular/parse-pattern.ts';
import { Terms } from '../../../src/language/regular/terms.ts';
import { compilePattern } from '../../../src/response-template/pattern/pattern-search.ts';
import { parseWithResponseSchema } from '../../../src/response-template/response-schema.ts';
import { query } from '../../../src/response-template/schema-query.ts';
import { checkTransform } from '../../../src/response-template/transform.ts';
import { parseTemplate } from '../../../src/template/template.ts';
import { PythonError } from '../../../src/template/values/values.ts';
import { jsonInTags } from '../../support/sample-formats.ts';
import { ends, nested, type Rows } from '../source-limits.ts';

function renders(source: string, variables: Record<string, unknown> = {}): boolean {
  return ends(() => parseTemplate(source).render(variables));
}

/** Prints a list that holds `size` lists within one another, which a template has made. */
const printed = (size: number, value: string) =>
  `{% set made = namespace(a=[]) %}{% for i in range(${size}) %}{% set made.a = [made.a] %}{% endfor %}{{ ${value} }}`;

const isPattern = (pattern: string) => ends(() => compilePattern(pattern));
const isJsonPattern = (pattern: string) =>
  ends(() => patternTerm(new Terms(new StepBudget(1_000_000)), pattern));

/** Schemas within one another, each of which reads all of the text. */
function levels(size: number): Record<string, unknown> {
  let schema: Record<string, unknown> = { type: 'string' };
  for (let at = 0; at < size; at += 1) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

export const templateRows: Rows = {
  'template/template.ts maxLineLength': (size) => {
    try {
      parseTemplate('{% no %}'.padEnd(size));
    } catch (error) {
      return error instanceof TemplateError && error.sourceLine?.length === size;
    }
    return false;
  },
  'template/values/json.ts maxDepth': (size) => renders(printed(size, 'made.a | tojson')),
  'template/values/text.ts maxDepth': (size) => renders(printed(size, 'made.a')),
  'template/values/input.ts maxDepth': (size) => renders('', { a: nested(size) }),
  'template/values/format-text.ts maxWidth': (size) => renders(`{{ "{:${size}}".format("a") }}`),
  'template/values/values.ts maxMessageLength': (size) =>
    new PythonError('E', 'a'.repeat(size - 'E: '.length)).message.length === size,
  'template/compile/globals.ts maxRangeLength': (size) => renders(`{{ range(${size}) | length }}`),
  'template/filters/filters-value.ts maxLineLength': (size) =>
    renders('{{ a | pprint }}', { a: 'a'.repeat(size - "''".length) }),
  'response-template/transform.ts maxDepth': (size) => ends(() => checkTransform(nested(size, ''), '')),
  'response-template/schema-query.ts maxLevels': (size) =>
    ends(() => query(`${'{a: '.repeat(size)}@${'}'.repeat(size)}`, null, '')),
  'response-template/response-schema.ts maxLevels': (size) =>
    ends(() => parseWithResponseSchema(levels(size) as never, 'a')),
  'response-template/pattern/program.ts maxInstructions': (size) => isPattern('a'.repeat(size)),
  'response-template/pattern/program.ts maxLookbehind': (size) => isPattern(`(?<=a{${size}})b`),
  'grammar/call-grammar.ts maxNameLength': (size) => {
    const { expression } = formatGrammar(jsonInTags);
    const call = `<use>\n{"name": "${'a'.repeat(size)}", "arguments": {}}\n</use>`;
    const matcher = createMatcher(expression);
    return matcher.accept(call) && matcher.complete;
  },
  'language/regular/parse-pattern.ts maxUnrolled': (size) => isJsonPattern(`(?:(?=a)a){${size}}`),
  'language/regular/pattern-references.ts maxLength': (size) => isJsonPattern(`(a{${size}})\\1`),
  'language/regular/pattern-references.ts maxValues': (size) =>
    isJsonPattern(`([\\u0100-\\u${(0x100 + size - 1).toString(16).padStart(4, '0')}])\\1`),
  'codegen/pictures.ts maxBefore': (size) => picture('a'.repeat(size), 'a', '').before.length === size,
  'codegen/pictures.ts maxHere': (size) => picture('', 'a'.repeat(size), '').here.length === size,
  'codegen/pictures.ts maxAfter': (size) => !picture('', 'a', 'a'.repeat(size)).after.endsWith('…'),
};
