/** The grammar of content: what conforms to a schema, free text with and without calls, and what leads to calls. */
import { GrammarError } from '../format/errors.ts';
import type { JsonSchema, Tool } from '../format/messages.ts';
import { withoutUndefined } from '../format/option-rules.ts';
import {
  type CompiledSchema,
  compileSchemaSteps,
  jsonSyntax,
  lenientJsonSyntax,
  type Syntax,
} from '../json-schema/compile-schema.ts';
import { wholeText } from '../json-schema/document/schema-text.ts';
import { alternatives } from '../language/expression/alternatives.ts';
import {
  characterClass,
  type Expression,
  literal,
  optional,
  repeat,
  sequence,
  untilOrEnd,
  without,
} from '../language/expression/expression.ts';
import type { RuleSet } from '../language/expression/rule-set.ts';
import type { Steps } from '../language/expression/steps.ts';
import type { ContentRegion, Wrapper } from '../layout/regions.ts';
import type { CallsLayout, TurnLayout } from '../layout/turn-layout.ts';
import type { PromptPosition } from './prompt-position.ts';
import { type SchemaStore, storedOrCompiled } from './stored-schemas.ts';
import { distinctTriggers, restOfOpener } from './triggers.ts';

/** White space allowed after the last region. */
export const blanks = repeat(characterClass([0x20, 0x20], [0x09, 0x0a], [0x0d, 0x0d]), 0, 8);

/** Options of content that conforms to a schema. */
interface ContentOptions {
  readonly contentSchema: JsonSchema;
  readonly policy: 'strict' | 'degrade';
  readonly prompt: PromptPosition;
  /** Whether it is on one line, whatever its report says. Default: false. */
  readonly oneLine?: boolean;
  /** Keeps the results of expensive schemas between processes. Default: none. */
  readonly store?: SchemaStore | null;
}

/** Content that conforms to the schema. Throws `SchemaError`. */
export function* schemaContent(
  region: ContentRegion,
  { contentSchema, policy, prompt, oneLine = false, store = null }: ContentOptions,
  rules: RuleSet,
): Steps<Omit<CompiledSchema, 'steps'>> {
  const text = wholeText(contentSchema);
  yield;
  const compileIn = (syntax: Syntax) =>
    storedOrCompiled(
      text === null ? null : store,
      ['response', syntax.lenient, policy, text],
      rules,
      (trial) =>
        compileSchemaSteps(contentSchema, {
          rules,
          syntax,
          tool: '',
          policy,
          ...withoutUndefined({ trial }),
        }),
    );
  // A value that fails a `checked` keyword is rewound and sampled again. Canonical JSON makes the retry a different
  // value, not the same one in another layout.
  const lenient = oneLine ? null : yield* compileIn(lenientJsonSyntax);
  const isChecked = lenient === null || lenient.issues.some(({ effect }) => effect === 'checked');
  const { expression, issues } = isChecked ? yield* compileIn(jsonSyntax) : lenient;
  const open = openContent(region, prompt);
  const content = sequence(
    literal(open === null ? region.open.fromCore : ''),
    rules.add('response', expression),
    literal((open ?? region).close.upToCore),
    blanks,
  );
  return { expression: content, issues };
}

/** What precedes the calls: the close of content that the prompt opened, otherwise the marker for no content. */
export function contentBeforeCalls({ content }: TurnLayout, prompt: PromptPosition): Expression {
  const open = openContent(content, prompt);
  const { text: empty } = content.empty;
  if (open !== null) return literal(open.close.upToCore);
  if (prompt.begun || prompt.place === 'call' || empty === '') return literal('');
  // After reasoning, the prompt may already contain the marker.
  return prompt.place === 'answer' ? optional(literal(empty)) : literal(empty);
}

/** The wrapper of the content that the prompt opened; `null` if it opened none. */
export function openContent({ wrappers }: ContentRegion, { place }: PromptPosition): Wrapper | null {
  return wrappers.find((wrapper) => wrapper.place === place) ?? null;
}

/**
 * Free text up to a call opener followed by calls, or free text alone. Calls without a marker cannot follow text.
 * Content whose opening marker contains the call opener gets an alternative that begins with that marker.
 */
export function textThenCalls(
  { open: { text: open }, empty }: ContentRegion,
  { trigger: opener, opener: own }: CallsLayout,
  calls: Expression,
): Expression {
  if (opener === '') return without();
  if (own.isBlank) return alternatives(sequence(optional(literal(empty.text)), calls), without(opener));
  const answer = untilOrEnd({ delimiter: opener, next: dropLeading(calls, opener) });
  return open.includes(opener) ? alternatives(sequence(literal(open), without(opener)), answer) : answer;
}

/**
 * Removes everything up to and including `text` from the leading literal of `expression`. Throws `GrammarError` if
 * that literal does not contain `text`; the opener would otherwise appear twice or only in part.
 */
function dropLeading(expression: Expression, text: string): Expression {
  const [first, ...rest] = expression.type === 'sequence' ? expression.items : [expression];
  const at = first?.type === 'literal' ? first.text.indexOf(text) : -1;
  if (first?.type !== 'literal' || at < 0) {
    throw new GrammarError({ reason: `calls do not begin with their opener ${JSON.stringify(text)}` });
  }
  return sequence(literal(first.text.slice(at + text.length)), ...rest);
}

/** Free text without calls. If the prompt ends in a prefix that calls and content share, force the content's marker. */
export function textWithoutCalls(
  layout: TurnLayout,
  { tools, prompt }: { readonly tools: readonly Tool[]; readonly prompt: PromptPosition },
): Expression {
  const opener = layout.calls?.trigger ?? '';
  const text = opener === '' ? without() : without(...distinctTriggers(layout, opener, tools));
  const open = layout.content.open.text;
  const begins = (marker: string): boolean => restOfOpener(marker, prompt) !== marker;
  const isShared = openContent(layout.content, prompt) === null && begins(opener) && begins(open);
  return isShared ? sequence(literal(open), text) : text;
}
