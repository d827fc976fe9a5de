/**
 * `idiolect/masks`: which tokens of a vocabulary a grammar allows, as bitmaps, for any engine that gives logits. Plain
 * JavaScript; runs in a browser.
 */

export type { Grammar } from '../language/expression/expression.ts';
export type { TokenBitmap } from '../language/matcher/masks/token-bitmap.ts';
export type { TokenIndex } from '../language/matcher/token-index.ts';
export { createMaskVocabulary, type MaskVocabulary, type MaskVocabularyOptions } from './mask-vocabulary.ts';
export { type SchemaGrammar, type SchemaGrammarOptions, schemaGrammar } from './schema-grammar.ts';
export { createTokenMatcher, type MaskGrammar, type TokenMatcher } from './token-matcher.ts';
