/**
 * Idiolect: reads the format of a model's responses from its chat template, and generates a streaming parser and a
 * grammar for it. Everything exported here also runs in a browser.
 */
export type { Analysis, SelfCheck } from './analysis/analysis.ts';
export { type AnalyzeOptions, analyzeTemplate } from './analysis/analyze-template.ts';
export type { AnalysisWarning, Evidence, EvidenceBasis } from './analysis/evidence.ts';
export type { CallSample } from './analysis/prompt/call-example.ts';
export { type CreateParserOptions, createResponseParser } from './codegen/create-response-parser.ts';
export type * from './format/chat-format.ts';
export * from './format/errors.ts';
export type * from './format/messages.ts';
export {
  type LawBreach,
  type LawName,
  type Verification,
  type VerifyOptions,
  verifyTemplate,
} from './generate/verify/verify-template.ts';
export { type ArgumentValidator, argumentValidator } from './grammar/argument-validator.ts';
export { buildGrammar } from './grammar/build-grammar.ts';
export type { BuiltGrammar, Trigger } from './grammar/built-grammar.ts';
export type { GrammarOptions, ResponseFormat } from './grammar/grammar-options.ts';
export {
  type BuiltStructuralTag,
  buildStructuralTag,
  type StructuralTagOptions,
} from './grammar/structural-tag/build-structural-tag.ts';
export type * from './grammar/structural-tag/structural-tag.ts';
export { spellValue } from './json-schema/spell-value.ts';
export {
  compileValidator,
  type Validate,
  type ValidationFailure,
} from './json-schema/validate/validate.ts';
export type { GrammarFinding, GrammarSeverity } from './language/expression/check-grammar.ts';
export { type GbnfGrammar, type GbnfNode, type GbnfRule, writeGbnf } from './language/gbnf/gbnf.ts';
export { createGbnfMatcher, type GbnfReading } from './language/gbnf/gbnf-expression.ts';
export { type GbnfFinding, lintGbnf } from './language/gbnf/lint-gbnf.ts';
export { readGbnf } from './language/gbnf/read-gbnf.ts';
export type { Matcher, MatcherOptions } from './language/matcher/matcher.ts';
export type { TokenIndex } from './language/matcher/token-index.ts';
export { writeResponse } from './layout/write-response.ts';
export type * from './parser/events.ts';
export type { ResponseModule } from './parser/module-contract.ts';
export type { ResponseParser, ResponseParserOptions, ResponsePiece } from './parser/response-parser.ts';
export { emitResponseTemplate } from './response-template/from-format/emit-response-template.ts';
export {
  type MadeResponseTemplate,
  toResponseTemplate,
} from './response-template/from-format/to-response-template.ts';
export type { UnsupportedCode, UnsupportedReason } from './response-template/from-format/unsupported.ts';
export {
  createResponseTemplateParser,
  parseBatchWithResponseTemplate,
  parseWithResponseTemplate,
  type RegionEvent,
  type ResponseTemplate,
  type ResponseTemplateOptions,
  type ResponseTemplateParser,
} from './response-template/index.ts';
export { type DroppedData, findDroppedData } from './template/prompt/dropped-data.ts';
export { type RenderedPrompt, readGenerationPrompt } from './template/prompt/generation-prompt.ts';
export {
  type RenderPromptOptions,
  renderPrompt,
  renderPromptSpans,
} from './template/prompt/render-prompt.ts';
export type { TextOrigin, TextSpan } from './template/template.ts';
export type { ToolFormat } from './template/tool-format/tool-format.ts';
export type { ToolFormatOption } from './template/tool-format/tool-format-option.ts';
export { toolFormats, wrapTemplate } from './template/tool-format/wrap-template.ts';
export type { ParsedValue, SchemaValue } from './tools/schema-value.ts';
export {
  type CallContext,
  type ChatEvent,
  defineTool,
  normalizeTools,
  type ToolCallOf,
  type ToolInput,
  type ToolList,
  type ToolSchema,
} from './tools/tools.ts';
