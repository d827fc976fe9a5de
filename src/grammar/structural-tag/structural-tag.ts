/**
 * XGrammar's structural tags: a response as nested regions, some free, some constrained by a grammar. Only node types
 * that both XGrammar 0.1.27 and 0.2 enforce are included; `json_schema`'s styles, `any_order` and
 * `triggered_tags.excludes` are not, because 0.1.27 accepts and ignores them. Source:
 * https://xgrammar.mlc.ai/docs/structural_tag.
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
/** A text of this grammar: GBNF with start rule `root`. */
export interface GrammarNode {
  readonly type: 'grammar';
  readonly grammar: string;
}
/** Any text: inside a `tag` up to the first occurrence of its end, elsewhere up to the end of the response. */
export interface AnyText {
  readonly type: 'any_text';
}
/** All elements in order; only the last may be unlimited. */
export interface TagSequence {
  readonly type: 'sequence';
  readonly elements: readonly TagFormat[];
}
/** One of the elements; either all are unlimited or none is. */
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
/** Repeated tags with a non-empty separator; unlimited. */
export interface TagsWithSeparator {
  readonly type: 'tags_with_separator';
  readonly tags: readonly TagNode[];
  readonly separator: string;
  readonly at_least_one: boolean;
  readonly stop_after_first: boolean;
}
/** Any text; after a trigger, one of the tags that begin with it must follow. */
export interface TriggeredTags {
  readonly type: 'triggered_tags';
  readonly triggers: readonly string[];
  readonly tags: readonly TagNode[];
  readonly at_least_one: boolean;
  /** If true, nothing follows the first tag. */
  readonly stop_after_first: boolean;
}
