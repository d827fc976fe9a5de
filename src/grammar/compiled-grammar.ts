/** Grammars as tables and back, and the text by which a table is known to be for a request. */
import type { ChatFormat } from '../chat-format.ts';
import { GrammarError } from '../errors.ts';
import type { CompiledGrammar, PackedExpression } from '../runtime/compiled-grammars.ts';
import { toolVersion } from '../version.ts';
import type { CharacterClass, CodePointRange, Expression } from './expression.ts';
import type { ResponseGrammar, ResponseGrammarOptions } from './response-grammar.ts';

/**
 * All that a grammar is made of, as one text: the compiler's version, the format and the request. Equal
 * texts give equal grammars.
 */
export function requestText(format: ChatFormat, request: ResponseGrammarOptions): string {
  const { shape, prompt, parallel, policy, argumentOrder, contentSchema, tools } = request;
  const { region, openerWritten, content } = prompt;
  const choices = [shape, region, openerWritten, content, parallel, policy, argumentOrder];
  return JSON.stringify([toolVersion, format, choices, contentSchema, tools]);
}

/** The table of a grammar of this template for the requests with these digests. */
export function packGrammar(
  template: string,
  requests: readonly string[],
  { grammar, issues }: ResponseGrammar,
): CompiledGrammar {
  const rules = Array.from(grammar.rules, ([name, body]) => [name, pack(body)] as const);
  return { requests, template, report: issues, root: grammar.root, rules: Object.fromEntries(rules) };
}

/** The grammar that was packed. Throws `GrammarError` when a table was spoilt. */
export function unpackGrammar({ root, rules, report }: CompiledGrammar): ResponseGrammar {
  const bodies = Object.entries(rules).map(([name, body]) => [name, unpack(body)] as const);
  return { grammar: { root, rules: new Map(bodies) }, issues: report };
}

function pack(expression: Expression): PackedExpression {
  switch (expression.type) {
    case 'literal':
      return expression.text;
    case 'class':
      return { class: expression.ranges.map(packRange).join(' ') };
    case 'sequence':
      return expression.items.map(pack);
    case 'choice':
      return { choice: expression.alternatives.map(pack) };
    case 'repeat':
      return { repeat: pack(expression.item), min: expression.min, max: expression.max };
    case 'until': {
      const branches = expression.branches.map(
        ({ delimiter, next }) => [delimiter, next === null ? null : pack(next)] as const,
      );
      return { until: branches, mayEnd: expression.mayEnd };
    }
    case 'rule':
      return { rule: expression.name };
  }
}

function unpack(packed: PackedExpression): Expression {
  if (typeof packed === 'string') return { type: 'literal', text: packed };
  if (isList(packed)) return { type: 'sequence', items: packed.map(unpack) };
  if ('rule' in packed) return { type: 'rule', name: packed.rule };
  if ('class' in packed) return unpackClass(packed.class);
  if ('choice' in packed) return { type: 'choice', alternatives: packed.choice.map(unpack) };
  if ('repeat' in packed) {
    return { type: 'repeat', item: unpack(packed.repeat), min: packed.min, max: packed.max };
  }
  const branches = packed.until.map(([delimiter, next]) => ({
    delimiter,
    next: next === null ? null : unpack(next),
  }));
  return { type: 'until', branches, mayEnd: packed.mayEnd };
}

function isList(packed: PackedExpression): packed is readonly PackedExpression[] {
  return Array.isArray(packed);
}

function packRange([from, to]: CodePointRange): string {
  return from === to ? from.toString(16) : `${from.toString(16)}-${to.toString(16)}`;
}

function unpackClass(text: string): CharacterClass {
  const ranges = text.split(' ').map((range): CodePointRange => {
    const [from, to = from] = range.split('-').map((digits) => Number.parseInt(digits, 16));
    if (from === undefined || to === undefined || Number.isNaN(from + to)) {
      throw new GrammarError({ reason: `${JSON.stringify(text)} in a compiled grammar is no class` });
    }
    return [from, to];
  });
  return { type: 'class', ranges };
}
