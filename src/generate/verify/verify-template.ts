/** Verifies the laws on one template: renders, writes, parses and matches messages. */
import { analyzeTemplate } from '../../analysis/analyze-template.ts';
import type { ChatFormat } from '../../format/chat-format.ts';
import type { Tool } from '../../format/messages.ts';
import { chatFormat, type OptionRules, readOptions, string } from '../../format/option-rules.ts';
import { buildGrammar } from '../../grammar/build-grammar.ts';
import { createMatcher, type Matcher } from '../../language/matcher/matcher.ts';
import {
  anyCutLaw,
  asToldLaw,
  type Breach,
  completeLaw,
  exactLaw,
  nothingLostLaw,
  quotationLaw,
  type RenderedCase,
  roundTripLaw,
  showsAnything,
} from './laws.ts';
import { type RenderedWith, renderTurn } from './render-turn.ts';
import {
  plainVerificationTools,
  quotingCases,
  swappedCase,
  type VerificationCase,
  verificationCases,
  verificationTools,
} from './verification-cases.ts';

/** The names of the laws. */
export type LawName =
  | 'exact'
  | 'round trip'
  | 'quotation'
  | 'any cut'
  | 'nothing lost'
  | 'complete'
  | 'as told';

/** One law broken by one case. */
export interface LawBreach extends Breach {
  readonly law: LawName;
  /** Name of the case: `a string, quotes`. */
  readonly case: string;
}

/** The result of verifying a template. */
export interface Verification {
  /** Number of messages that the template rendered. If it is 0, nothing was verified, and `holds` is false. */
  readonly rendered: number;
  /** Number of messages that the template refused or does not show. */
  readonly refused: number;
  readonly breaches: readonly LawBreach[];
  /** Whether at least one message was rendered and every law holds for each. */
  readonly holds: boolean;
}

/** Options of `verifyTemplate`. */
export interface VerifyOptions {
  /** The template's format if already known, read with the tokens below. */
  readonly format?: ChatFormat;
  /** The model's beginning-of-sequence token; default `<s>`. */
  readonly bosToken?: string;
  /** The model's end-of-sequence token; default `</s>`. */
  readonly eosToken?: string;
  /** The template's name in errors; default `template`. */
  readonly name?: string;
}

const optionRules: OptionRules<VerifyOptions> = {
  format: chatFormat,
  bosToken: string,
  eosToken: string,
  name: string,
};

/** Verifies all laws on a template. Throws the errors of the analysis. */
export function verifyTemplate(templateSource: string, given: VerifyOptions = {}): Verification {
  const options = readOptions(given, optionRules);
  const specialTokens = { bosToken: options.bosToken ?? '<s>', eosToken: options.eosToken ?? '</s>' };
  const { name = 'template' } = options;
  const analysis = analyzeTemplate(templateSource, { ...specialTokens, name });
  const format = options.format ?? analysis.format;
  const matcher = callMatcher(format);
  const quoting = quotingCases(format);
  const cases = [...verificationCases, ...quoting, swappedCase];
  const tried = cases.flatMap((each) => {
    const rendered = renderCase({ templateSource, format, specialTokens }, each);
    return rendered === null ? [] : [breachesOf(each, rendered, quoting.includes(each), matcher)];
  });
  const told = analysis.examples.flatMap((sample): readonly LawBreach[] => {
    const breach = asToldLaw(format, sample);
    return breach === null ? [] : [{ law: 'as told', case: 'an example in the prompt', ...breach }];
  });
  const breaches = [...tried.flat(), ...told];
  const holds = tried.length > 0 && breaches.length === 0;
  return { rendered: tried.length, refused: cases.length - tried.length, breaches, holds };
}

/** Some templates cannot describe every tool, or any; a turn does not depend on the description. */
const describedTools: readonly (readonly Tool[])[] = [verificationTools, plainVerificationTools, []];

/** The case as the template renders it; `null` if it refuses the message, or does not show it. */
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

function breachesOf(
  each: VerificationCase,
  rendered: RenderedCase,
  quotes: boolean,
  matcher: Matcher | null,
): LawBreach[] {
  const found: LawBreach[] = [];
  const add = (law: LawName, breach: Breach | null) => {
    if (breach !== null) found.push({ law, case: each.name, ...breach });
  };
  add('exact', exactLaw(rendered));
  if (quotes) add('quotation', quotationLaw(rendered));
  else add('round trip', roundTripLaw(rendered));
  add('any cut', anyCutLaw(rendered));
  add('nothing lost', nothingLostLaw(rendered));
  // The grammar writes the order of the schema, and no raw string that holds what closes it: those are only parsed.
  if (matcher !== null && verificationCases.includes(each)) add('complete', completeLaw(rendered, matcher));
  return found;
}
