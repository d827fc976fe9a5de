/** The grammar of what may follow the last thoughts of a response: the beginning of an answer or a call, then any text. */
import type { ChatFormat } from '../format/chat-format.ts';
import { alternatives, commonPrefix } from '../language/expression/alternatives.ts';
import {
  type CodePointRange,
  characterClass,
  choice,
  type Expression,
  exceptCharacters,
  type Grammar,
  literal,
  optional,
  repeat,
  sequence,
  without,
} from '../language/expression/expression.ts';
import { withoutUnused } from '../language/expression/references.ts';
import { RuleSet } from '../language/expression/rule-set.ts';
import { type TrieNode, trieNodes } from '../language/expression/trie.ts';
import { coresOf } from '../layout/marker.ts';
import type { ContentRegion, ReasoningRegion } from '../layout/regions.ts';
import { type TurnLayout, turnLayout } from '../layout/turn-layout.ts';
import type { Trigger } from './built-grammar.ts';

/** The beginning of an answer or a call. */
export interface AnswerStart {
  readonly grammar: Grammar;
  /** What ends the thoughts before it. */
  readonly closer: string;
  /** Whether `text`, of this grammar, has begun either, so that anything may follow. */
  readonly hasBegun: (text: string) => boolean;
}

const blanks: readonly CodePointRange[] = [
  [0x20, 0x20],
  [0x09, 0x0a],
  [0x0d, 0x0d],
];
const space = repeat(characterClass(...blanks), 0, 20);

/**
 * What may follow thoughts that are the last ones: where answers have an opener, one of the format's openers of answers
 * and calls; elsewhere, any text but an opener of thoughts. `triggers`: the openers of calls; `barred`: texts that the
 * answer must not contain. `null` if nothing opens thoughts in this format.
 */
export function answerStart(
  format: ChatFormat,
  triggers: readonly Trigger[],
  barred: readonly string[],
): AnswerStart | null {
  const layout = turnLayout(format);
  const { reasoning, content } = layout;
  if (reasoning === null || reasoning.open.isBlank) return null;
  const rules = new RuleSet();
  const rest = rules.add('rest', without(...barred));
  const isMarked = !content.open.isBlank && triggers.every(({ type }) => type === 'word');
  const openers = [...coresOf(content.openers), ...triggers.map(({ value }) => value)].filter(
    (opener) => !beginsAsThoughts(opener, reasoning, content),
  );
  const others = [...coresOf(reasoning.openers), ...barred];
  const start = isMarked ? openedStart(openers, restartOf(layout), rest) : plainStart(others, rest);
  return {
    grammar: withoutUnused(rules.grammar('root', sequence(space, start))),
    closer: reasoning.end.core,
    hasBegun: isMarked ? opened(openers, restartOf(layout)) : plain(others),
  };
}

/**
 * Whether an opener begins with the words of thoughts (`<|channel|>analysis to=f` where `<|channel|>analysis<|message|>`
 * opens them): a model that is about to think would be led into it.
 */
function beginsAsThoughts(opener: string, reasoning: ReasoningRegion, content: ContentRegion): boolean {
  return reasoning.openers.some(
    ({ core }) => sharedWords(opener, core) > sharedWords(content.open.core, core),
  );
}

/** How much both begin with, up to the end of a word in both. */
function sharedWords(one: string, other: string): number {
  const { length } = commonPrefix(one, other);
  const isInWord = /^\w/.test(one.slice(length)) || /^\w/.test(other.slice(length));
  return isInWord ? one.slice(0, length).replace(/(?<!\w)\w+$/, '').length : length;
}

/** What the closer of thoughts contains of the next region's turn; empty in most formats. */
function restartOf({ reasoning, start }: TurnLayout): string {
  return reasoning?.restarts === true ? start.core : '';
}

function openedStart(openers: readonly string[], restart: string, rest: Expression): Expression {
  const begun = openers.map(literal);
  const restarted = sequence(literal(restart), space, alternatives(...begun));
  return sequence(alternatives(...begun, ...(restart === '' ? [] : [restarted])), rest);
}

function opened(openers: readonly string[], restart: string): (text: string) => boolean {
  return (text) => {
    const start = text.trimStart();
    const begun =
      restart !== '' && start.startsWith(restart) ? start.slice(restart.length).trimStart() : start;
    return openers.some((opener) => begun.startsWith(opener));
  };
}

function plainStart(others: readonly string[], rest: Expression): Expression {
  const [root] = trieNodes(others);
  return root === undefined ? rest : beginsOtherwise(root, blanks, rest);
}

/** A text that does not go on with one of the trie's words, nor with a character of `except`; it may end. */
function beginsOtherwise(
  { children }: TrieNode,
  except: readonly CodePointRange[],
  rest: Expression,
): Expression {
  const next = [...children.values()];
  const known = next.map(({ character }): CodePointRange => {
    const code = character.codePointAt(0) ?? 0;
    return [code, code];
  });
  const longer = next
    .filter(({ word }) => word === null)
    .map((node) => sequence(literal(node.character), beginsOtherwise(node, [], rest)));
  return optional(choice(sequence(exceptCharacters(...known, ...except), rest), ...longer));
}

function plain(others: readonly string[]): (text: string) => boolean {
  return (text) => {
    const start = text.trimStart();
    return start !== '' && !others.some((other) => other.startsWith(start));
  };
}
