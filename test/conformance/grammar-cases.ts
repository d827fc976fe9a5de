/**
 * llama.cpp's own GBNF cases: read by our reader, matched by our matcher, and, where they hold no token
 * terminals, by its engine as well.
 */
import fs from 'node:fs';
import path from 'node:path';
import { GrammarError } from '../../src/format/errors.ts';
import { createGbnfMatcher, gbnfExpression } from '../../src/language/gbnf/gbnf-expression.ts';
import { lintGbnf } from '../../src/language/gbnf/lint-gbnf.ts';
import { readGbnf } from '../../src/language/gbnf/read-gbnf.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { type EngineMatcher, engineMatcher } from '../support/grammar-engine.ts';
import type { ConformanceResult } from './jinja.ts';

/** A text, or texts and tokens in turn. */
type Input = string | readonly (string | { readonly token: number })[];

interface GrammarCase {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly grammar?: string;
  readonly root?: string;
  readonly passing?: readonly Input[];
  readonly failing?: readonly Input[];
}

/** Runs the GBNF cases of `dataFolder/grammar-cases.jsonl`. */
export async function run(dataFolder: string): Promise<ConformanceResult> {
  const lines = fs.readFileSync(path.join(dataFolder, 'grammar-cases.jsonl'), 'utf8').trimEnd().split('\n');
  const cases = lines
    .map((line): GrammarCase => JSON.parse(line))
    .filter(({ grammar }) => grammar !== undefined);
  const failures: string[] = [];
  for (const each of cases) {
    const wrong = each.passing === undefined ? judgeBuild(each) : await judgeTexts(each);
    if (wrong.length > 0) failures.push(`${each.id} ${each.name}: ${wrong.join('; ')}`);
  }
  return { name: 'grammar-cases', passed: cases.length - failures.length, total: cases.length, failures };
}

/** Grammars that must not build. */
function judgeBuild({ grammar = '', root = 'root' }: GrammarCase): string[] {
  const read = readGbnf(grammar);
  const refusals = lintGbnf(read).filter(({ severity }) => severity === 'unbuildable');
  if (refusals.length > 0) return [];
  try {
    createMatcher({ ...gbnfExpression(read), root });
  } catch (error) {
    if (error instanceof GrammarError) return [];
    throw error;
  }
  return ['builds'];
}

async function judgeTexts({ grammar = '', passing = [], failing = [] }: GrammarCase): Promise<string[]> {
  const texts = [...passing, ...failing].every((input) => typeof input === 'string');
  const engine = texts ? await engineMatcher(grammar) : undefined;
  return [
    ...passing.flatMap((input) => judgeText(grammar, input, true, engine)),
    ...failing.flatMap((input) => judgeText(grammar, input, false, engine)),
  ];
}

function judgeText(
  grammar: string,
  input: Input,
  expected: boolean,
  engine: EngineMatcher | undefined,
): string[] {
  const matcher = createGbnfMatcher(grammar);
  const parts = typeof input === 'string' ? [input] : input;
  const fits = parts.every((part) =>
    typeof part === 'string' ? matcher.accept(part) : matcher.acceptToken(part.token),
  );
  const accepted = fits && matcher.complete;
  const said = `${JSON.stringify(input)} is ${accepted ? 'accepted' : 'rejected'}`;
  if (accepted !== expected) return [said];
  const differs = typeof input === 'string' && engine !== undefined && engine.accepts(input) !== accepted;
  return differs ? [`${said}, but not by the engine`] : [];
}
