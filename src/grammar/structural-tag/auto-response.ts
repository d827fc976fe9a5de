/**
 * A whole response that may contain calls: reasoning, then text or delimited content, and calls from the first opener
 * on. Unlike all other grammars here, it is ambiguous where reasoning or content may begin, because text may begin
 * the same way; it is for engines that follow all readings in parallel.
 */

import { alternatives } from '../../language/expression/alternatives.ts';
import {
  type CharacterClass,
  characterClass,
  choice,
  type Expression,
  empty,
  exceptCharacters,
  type Grammar,
  literal,
  optional,
  repeat,
  rule,
  sequence,
  type Until,
  until,
  untilOrEnd,
} from '../../language/expression/expression.ts';
import { withoutUnused } from '../../language/expression/references.ts';
import type { TurnLayout } from '../../layout/turn-layout.ts';
import type { Trigger } from '../built-grammar.ts';
import { openContent } from '../content-grammar.ts';
import type { PromptPosition } from '../prompt-position.ts';
import type { ResponseGrammarOptions } from '../response-grammar.ts';
import { freeText } from './free-text.ts';
import { jsonCalls } from './json-calls.ts';
import { findable } from './marker-search.ts';

/** The prompt's position in the response, and the calls that may follow. */
interface AutoResponse {
  readonly layout: TurnLayout;
  readonly request: ResponseGrammarOptions;
  /** The grammar from a trigger on. */
  readonly calls: Grammar;
  readonly triggers: readonly Trigger[];
  /** Prefixes of a call at the very start of the response, for a trigger of type `pattern`. */
  readonly beginnings: readonly string[];
  /** Whether calls may also be JSON. */
  readonly jsonCalls: boolean;
}

const blank = characterClass([0x20, 0x20], [0x09, 0x0a], [0x0d, 0x0d]);
const blanks = repeat(blank);
const callsRule = 'calls';

/** Builds the grammar described above; `null` if the calls do not begin with their triggers. */
export function autoResponse(response: AutoResponse): Grammar | null {
  const { calls, triggers, layout, request } = response;
  const rules = new Map([...calls.rules].filter(([name]) => name !== calls.root));
  const known = { root: callsRule, rules: rules.set(callsRule, calls.rules.get(calls.root) ?? empty) };
  const words = triggers.filter(({ type }) => type === 'word').map(({ value }) => value);
  const text = textUpTo(findable(words), known);
  const isAnchored = triggers.some(({ type }) => type === 'pattern');
  const answer = text !== null && isAnchored ? callOrText(response.beginnings, words, known, text) : text;
  if (answer === null) return null;
  // From calls that contain free text, no tag goes on.
  const mayBeJson = response.jsonCalls && request.parallel && !freeText(known)(rule(callsRule));
  const json =
    mayBeJson && answer.type === 'until' ? jsonCalls(request.tools, request, answer.branches, rules) : null;
  for (const [name, body] of json?.rules ?? []) rules.set(name, body);
  const whole = json === null ? answer : choice(json.text, sequence(json.otherBeginning, answer));
  const { prompt } = request;
  const root = sequence(reasoningRest(layout, prompt), withContent(layout, prompt, whole));
  return withoutUnused({ root: 'root', rules: new Map([['root', root], ...rules]) });
}

/** Text up to the first of `words`, then the rest of the calls after that word. */
function textUpTo(words: readonly string[], calls: Grammar): Until | null {
  const branches = words.map((delimiter) => ({
    delimiter,
    next: stripPrefix(rule(calls.root), delimiter, calls),
  }));
  return branches.some(({ next }) => next === null) ? null : untilOrEnd(...branches);
}

/** Number of leading characters that distinguish text from a call; text that shares more counts as a call. */
const distinguishingLength = 3;

/**
 * A call that begins with one of `beginnings`, or text that begins differently: text without any of them, or with
 * another first character, or with one within the first few characters. The alternatives overlap, and the first
 * includes the call, because XGrammar finds a marker at a third of the cost of excluding a next character.
 */
function callOrText(
  beginnings: readonly string[],
  words: readonly string[],
  calls: Grammar,
  text: Expression,
): Expression | null {
  const distinct = beginnings.filter(
    (one) => !beginnings.some((other) => other !== one && one.startsWith(other)),
  );
  const found = textUpTo(findable([...distinct, ...words]), calls);
  if (found === null) return null;
  const heads = distinct.map((one) => Array.from(one).slice(0, distinguishingLength));
  const parts = new Set(heads.flatMap((head) => head.map((_, at) => head.slice(0, at).join(''))));
  const [other, ...later] = [...parts].map((part) => {
    const next = new Set(distinct.flatMap((one) => nextCharacter(one, part)));
    return sequence(literal(part), otherThan([...next], part === ''));
  });
  const leaving = [other, later.length === 0 ? undefined : choice(...later)];
  const texts = leaving.filter((each) => each !== undefined);
  return choice(found, ...texts.map((begun) => sequence(blanks, begun, text)));
}

function nextCharacter(text: string, written: string): readonly string[] {
  const [character] = text.startsWith(written) ? Array.from(text.slice(written.length)) : [];
  return character === undefined ? [] : [character];
}

function otherThan(characters: readonly string[], atStart: boolean): CharacterClass {
  const taken = characters.map((character) => character.codePointAt(0) ?? 0);
  return exceptCharacters(...taken.map((code) => [code, code] as const), ...(atStart ? blank.ranges : []));
}

/** The reasoning that the prompt left open. It ends at its first end marker, whatever follows. */
function reasoningRest({ reasoning, start }: TurnLayout, { place }: PromptPosition): Expression {
  const restart = literal(place === 'between-turns' ? start.text : '');
  const end = reasoning?.close.core ?? '';
  if (reasoning === null || end === '') return restart;
  const [marker = end] = findable([end]);
  const rest = until({ delimiter: marker, next: literal(end.slice(marker.length)) });
  if (place === 'reasoning') return rest;
  const written = reasoning.openers.filter(({ isBlank }) => !isBlank).map(({ core }) => literal(core));
  if ((place !== 'start' && place !== 'between-turns') || written.length === 0) return restart;
  return sequence(restart, optional(sequence(blanks, choice(...written), rest)));
}

/** Delimited content contains no calls, unless calls end it. */
function withContent({ content }: TurnLayout, prompt: PromptPosition, text: Expression): Expression {
  const open = openContent(content, prompt);
  const begin = open === null ? content.open.core : '';
  if (open === null && begin === '') return text;
  const close = (open ?? content).close.core;
  if (close === '' && content.next.includes('calls')) return text;
  const begun = sequence(open === null ? blanks : empty, literal(begin));
  if (close === '') return choice(sequence(begun, untilOrEnd()), text);
  const [marker = close] = findable([close]);
  const rest = until({ delimiter: marker, next: literal(close.slice(marker.length)) });
  return sequence(optional(sequence(begun, rest)), text);
}

/**
 * The rest of `expression` after `text`; `null` if literals alone do not spell `text`. `grammarAfter` handles every
 * grammar, but turns it into automata.
 */
function stripPrefix(expression: Expression, text: string, { rules }: Grammar): Expression | null {
  const strip = (each: Expression, left: string): Expression | null => {
    if (left === '') return each;
    switch (each.type) {
      case 'literal':
        return each.text.startsWith(left) ? literal(each.text.slice(left.length)) : null;
      case 'sequence':
        return stripSequence(each.items, left);
      case 'choice':
        return oneOfAll(each.alternatives.map((one) => strip(one, left)));
      case 'rule': {
        const body = rules.get(each.name);
        return body === undefined ? null : strip(body, left);
      }
      default:
        return null;
    }
  };
  const stripSequence = ([first, ...rest]: readonly Expression[], left: string): Expression | null => {
    if (first === undefined) return null;
    if (first.type === 'literal' && first.text !== '' && left.startsWith(first.text)) {
      return strip(sequence(...rest), left.slice(first.text.length));
    }
    if (first.type === 'repeat' && first.min === 0 && first.max === 1) {
      return oneOfAll([strip(sequence(first.item, ...rest), left), strip(sequence(...rest), left)]);
    }
    const after = strip(first, left);
    return after === null ? null : sequence(after, ...rest);
  };
  return strip(expression, text);
}

function oneOfAll(all: readonly (Expression | null)[]): Expression | null {
  const possible = all.filter((each) => each !== null);
  return possible.length === 0 ? null : alternatives(...possible);
}
