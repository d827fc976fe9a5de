/** Limits of what is made of schemas, patterns and templates. */
import { EvidenceLog } from '../../../src/analysis/evidence.ts';
import { positionsOf } from '../../../src/analysis/literals/find-json.ts';
import { jsonCalls } from '../../../src/grammar/structural-tag/json-calls.ts';
import { SchemaDocument } from '../../../src/json-schema/document/schema-document.ts';
import { blankOf } from '../../../src/json-schema/write/lenient-json.ts';
import { StepBudget } from '../../../src/language/expression/budget.ts';
import { choice, literal } from '../../../src/language/expression/expression.ts';
import { RuleSet } from '../../../src/language/expression/rule-set.ts';
import { finish } from '../../../src/language/expression/steps.ts';
import { columnOf } from '../../../src/language/gbnf/gbnf.ts';
import { createMatcher } from '../../../src/language/matcher/matcher.ts';
import { printOhm } from '../../../src/language/ohm/print-ohm.ts';
import { buildAutomaton } from '../../../src/language/regular/build-automaton.ts';
import { patternTerm } from '../../../src/language/regular/parse-pattern.ts';
import { Terms } from '../../../src/language/regular/terms.ts';
import { reportDropped } from '../../../src/template/prompt/dropped-data.ts';
import { ends, type Rows } from '../source-limits.ts';

/** Whether white space between the tokens of JSON may be this one. */
function isBlank(text: string): boolean {
  const rules = new RuleSet();
  const blank = blankOf({ space: 'any' }, rules);
  const matcher = createMatcher(rules.grammar('root', blank));
  return matcher.accept(text) && matcher.complete;
}

export const languageRows: Rows = {
  'analysis/evidence.ts maxSliceLength': (size) => {
    const log = new EvidenceLog();
    log.support('a', 'b', 'a'.repeat(size), '');
    return log.entries[0]?.slice === 'a'.repeat(size);
  },
  'analysis/literals/find-json.ts maxPositions': (size) =>
    positionsOf('['.repeat(size), '[', 0, size).length === size,
  'grammar/structural-tag/json-calls.ts maxTools': (size) => {
    const tools = Array.from(
      { length: size },
      (_, at) => ({ type: 'function', function: { name: `t${at}` } }) as const,
    );
    const options = { policy: 'strict', argumentOrder: 'any' } as const;
    return jsonCalls(tools, options, [], new Map()) !== null;
  },
  // A chain of so many schemas, of which the last one is no reference.
  'json-schema/document/schema-document.ts maxMeant': (size) => {
    const links = Array.from({ length: size - 1 }, (_, at) => [`s${at}`, { $ref: `#/$defs/s${at + 1}` }]);
    const $defs = Object.fromEntries([...links, [`s${size - 1}`, { type: 'string' }]]);
    const document = new SchemaDocument({ $defs });
    const first = document.child(document.root, '$defs', 's0');
    return document.meant(first).schema === $defs[`s${size - 1}`];
  },
  'json-schema/write/lenient-json.ts maxGap': (size) =>
    isBlank(' '.repeat(size)) && isBlank('\n'.repeat(size)) && isBlank('\r\n'.repeat(size)),
  'json-schema/write/lenient-json.ts maxLineDepth': (size) =>
    isBlank(`\n${' '.repeat(size)}`) && isBlank(`\n${'\t'.repeat(size)}`),
  'language/gbnf/gbnf.ts maxAlignedRules': (size) => columnOf(Array<string>(size).fill('rule')) === 4,
  'language/ohm/print-ohm.ts maxLine': (size) => {
    const long = 'a'.repeat(size - '"" | "b"'.length);
    const rules = new RuleSet();
    const grammar = rules.grammar('root', choice(literal(long), literal('b')));
    return printOhm(grammar, 'G').includes(`"${long}" | "b"`);
  },
  // One state after each character, and the first.
  'language/regular/build-automaton.ts maxAutomatonStates': (size) => {
    const terms = new Terms(new StepBudget(10_000_000));
    const term = patternTerm(terms, `^a{${size - 1}}$`);
    return ends(() => buildAutomaton(terms, term, new StepBudget(10_000_000)));
  },
  'template/prompt/dropped-data.ts maxPlaces': (size) => {
    const messages = Array.from(
      { length: size },
      (_, at) => ({ role: 'user', content: `text ${at}` }) as const,
    );
    const [{ reason } = { reason: '' }] = finish(reportDropped(messages, ''));
    return messages.every((_, at) => reason.includes(`messages[${at}]`));
  },
};
