/** Tries the laws on one template: renders messages, writes them, parses them, matches them. */
import { analyzeTemplate } from '../analysis/analyze-template.ts';
import type { ChatFormat } from '../chat-format.ts';
import { buildGrammar } from '../grammar/build-grammar.ts';
import { createMatcher, type Matcher } from '../grammar/matcher.ts';
import {
  anyCutLaw,
  type Breach,
  completeLaw,
  exactLaw,
  nothingLostLaw,
  type RenderedCase,
  roundTripLaw,
} from './laws.ts';
import { renderTurn } from './render-turn.ts';
import {
  plainVerificationTools,
  swappedCase,
  type VerificationCase,
  verificationCases,
  verificationTools,
} from './verification-cases.ts';

/** Names of the laws, as they are reported. */
export type LawName = 'exact' | 'round trip' | 'any cut' | 'nothing lost' | 'complete';

/** One law broken by one case. */
export interface LawBreach extends Breach {
  readonly law: LawName;
  /** Name of the case: `a string, quotes`. */
  readonly case: string;
}

/** What came of trying the laws on a template. */
export interface Verification {
  /** Messages that the template rendered. With none, nothing was verified, and `holds` is false. */
  readonly rendered: number;
  /** Messages that the template refused. */
  readonly refused: number;
  readonly breaches: readonly LawBreach[];
  /** At least one message was rendered, and every law held for each. */
  readonly holds: boolean;
}

/** Tries all laws on a template. `format` may be given where it is known. Throws what analysis throws. */
export function verifyTemplate(templateSource: string, format?: ChatFormat): Verification {
  const known = format ?? analyzeTemplate(templateSource).format;
  const matcher = callMatcher(known);
  const breaches: LawBreach[] = [];
  let rendered = 0;
  let refused = 0;
  for (const each of [...verificationCases, swappedCase]) {
    const turn = turnOf(templateSource, known, each);
    if (turn === null) {
      refused += 1;
      continue;
    }
    rendered += 1;
    breaches.push(
      ...breachesOf(each, { format: known, tools: verificationTools, message: each.message, turn }, matcher),
    );
  }
  return { rendered, refused, breaches, holds: rendered > 0 && breaches.length === 0 };
}

function turnOf(templateSource: string, format: ChatFormat, { message }: VerificationCase): string | null {
  const turn = renderTurn({ templateSource, format, tools: verificationTools }, message);
  return turn ?? renderTurn({ templateSource, format, tools: plainVerificationTools }, message);
}

function callMatcher(format: ChatFormat): Matcher | null {
  if (format.calls === null) return null;
  const { expression } = buildGrammar(format, { tools: verificationTools });
  return expression === null ? null : createMatcher(expression);
}

function breachesOf(each: VerificationCase, rendered: RenderedCase, matcher: Matcher | null): LawBreach[] {
  const found: LawBreach[] = [];
  const add = (law: LawName, breach: Breach | null) => {
    if (breach !== null) found.push({ law, case: each.name, ...breach });
  };
  add('exact', exactLaw(rendered));
  add('round trip', roundTripLaw(rendered));
  add('any cut', anyCutLaw(rendered));
  add('nothing lost', nothingLostLaw(rendered));
  // The grammar writes the schema's order; another order is for the parser alone.
  if (matcher !== null && each !== swappedCase) add('complete', completeLaw(rendered, matcher));
  return found;
}
