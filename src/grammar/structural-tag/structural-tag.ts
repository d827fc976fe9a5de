/**
 * XGrammar's structural tags: a response as nested regions, some free, some under a grammar. These are the node
 * types that XGrammar 0.1.27 and 0.2 both honour; `json_schema`'s styles, `any_order` and `triggered_tags.excludes`
 * are not among them, because 0.1.27 accepts them and does nothing about them.
 * Source: https://xgrammar.mlc.ai/docs/structural_tag.
 */

/** What vLLM's `structured_outputs.structural_tag` and SGLang's `response_format` take. */
export interface StructuralTag {
  readonly type: 'structural_tag';
  readonly format: TagFormat;
}

/** A node of a structural tag. */
export type TagFormat =
  | ConstString
  | GrammarNode
  | AnyText
  | TagSequence
  | TagChoice
  | TagNode
  | TagsWithSeparator
  | TriggeredTags;

/** Exactly this text, never empty. */
export interface ConstString {
  readonly type: 'const_string';
  readonly value: string;
}
/** A text of this grammar, in GBNF with start rule `root`. */
export interface GrammarNode {
  readonly type: 'grammar';
  readonly grammar: string;
}
/** Any text: inside a `tag` up to the first occurrence of its end, elsewhere up to the end of the response. */
export interface AnyText {
  readonly type: 'any_text';
}
/** One after the other; only the last may be unlimited. */
export interface TagSequence {
  readonly type: 'sequence';
  readonly elements: readonly TagFormat[];
}
/** One of several: either all of them are unlimited, or none. */
export interface TagChoice {
  readonly type: 'or';
  readonly elements: readonly TagFormat[];
}
/** `content` between two texts. */
export interface TagNode {
  readonly type: 'tag';
  readonly begin: string;
  readonly content: TagFormat;
  readonly end: string;
}
/** Tags one after the other, with a text between them, which is never empty. It has no end of its own. */
export interface TagsWithSeparator {
  readonly type: 'tags_with_separator';
  readonly tags: readonly TagNode[];
  readonly separator: string;
  readonly at_least_one: boolean;
  readonly stop_after_first: boolean;
}
/** Any text; once a trigger comes, one of the tags that begin with it has to follow. */
export interface TriggeredTags {
  readonly type: 'triggered_tags';
  readonly triggers: readonly string[];
  readonly tags: readonly TagNode[];
  readonly at_least_one: boolean;
  /** Nothing comes after the first tag. */
  readonly stop_after_first: boolean;
}
