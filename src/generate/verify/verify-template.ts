/** Tries the laws on one template: renders messages, writes them, parses them, matches them. */
import { analyzeTemplate } from '../../analysis/analyze-template.ts';
import type { ChatFormat } from '../../format/chat-format.ts';
import type { Tool } from '../../format/messages.ts';
import { chatFormat, type OptionRules, readOptions, string } from '../../format/option-rules.ts';
import { buildGrammar } from '../../grammar/build-grammar.ts';
import { createMatcher, type Matcher } from '../../grammar/matcher/matcher.ts';
import {
  anyCutLaw,
  type Breach,
  completeLaw,
  exactLaw,
  nothingLostLaw,
  type RenderedCase,
  roundTripLaw,
  showsAnything,
} from './laws.ts';
import { type RenderedWith, renderTurn } from './render-turn.ts';
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
  /** Messages that the template refused, or of which it shows nothing. */
  readonly refused: number;
  readonly breaches: readonly LawBreach[];
  /** At least one message was rendered, and every law held for each. */
  readonly holds: boolean;
}

/** Options of `verifyTemplate`. */
export interface VerifyOptions {
  /** The template's format, where it is known already, read with the tokens below. */
  readonly format?: ChatFormat;
  /** The model's beginning-of-sequence token; default `<s>`. */
  readonly bosToken?: string;
  /** The model's end-of-sequence token; default `</s>`. */
  readonly eosToken?: string;
  /** Names the template in errors; default `template`. */
  readonly name?: string;
}

const optionRules: OptionRules<VerifyOptions> = {
  format: chatFormat,
  bosToken: string,
  eosToken: string,
  name: string,
};

/** Tries all laws on a template. Throws what analysis throws, and `UnsupportedOptionError` likewise. */
export function verifyTemplate(templateSource: string, given: VerifyOptions = {}): Verification {
  const options = readOptions(given, optionRules);
  const specialTokens = { bosToken: options.bosToken ?? '<s>', eosToken: options.eosToken ?? '</s>' };
  const { name = 'template' } = options;
  const format = options.format ?? analyzeTemplate(templateSource, { ...specialTokens, name }).format;
  const matcher = callMatcher(format);
  const cases = [...verificationCases, swappedCase];
  const tried = cases.flatMap((each) => {
    const rendered = renderCase({ templateSource, format, specialTokens }, each);
    return rendered === null ? [] : [breachesOf(each, rendered, matcher)];
  });
  const breaches = tried.flat();
  const holds = tried.length > 0 && breaches.length === 0;
  return { rendered: tried.length, refused: cases.length - tried.length, breaches, holds };
}

/** Some templates cannot describe every tool, or any; a turn is the same without the description. */
const describedTools: readonly (readonly Tool[])[] = [verificationTools, plainVerificationTools, []];

/** The case as the template renders it; `null` where it refuses the message, or shows nothing of it. */
function renderCase(
  context: Omit<RenderedWith, 'tools'>,
  { message }: VerificationCase,
): RenderedCase | null {
  for (const described of describedTools) {
    const turn = renderTurn({ ...context, tools: described }, message);
    if (turn === null) continue;
    const rendered = { format: context.format, tools: verificationTools, message, turn };
    return showsAnything(rendered) ? rendered : null;
  }
  return null;
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
