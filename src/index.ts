/**
 * Idiolect: reads how a model writes from its chat template, and makes a streaming parser and a grammar
 * of it. Everything exported here runs in a browser too.
 */
export { type Analysis, type AnalyzeOptions, analyzeTemplate } from './analysis/analyze-template.ts';
export type { AnalysisWarning, Evidence } from './analysis/evidence.ts';
export type { SelfCheck } from './analysis/self-check.ts';
export { type ArgumentValidator, argumentValidator } from './argument-validator.ts';
export type * from './chat-format.ts';
export { emitResponseTemplate } from './codegen/response-template/emit-response-template.ts';
export {
  type MadeResponseTemplate,
  toResponseTemplate,
} from './codegen/response-template/to-response-template.ts';
export type { UnsupportedCode, UnsupportedReason } from './codegen/response-template/unsupported.ts';
export { type CreateParserOptions, createResponseParser } from './create-response-parser.ts';
export * from './errors.ts';
export {
  type BuiltGrammar,
  buildGrammar,
  type GrammarOptions,
  type ResponseFormat,
  type Trigger,
} from './grammar/build-grammar.ts';
export type { GrammarFinding, GrammarSeverity } from './grammar/check-grammar.ts';
export { type GbnfGrammar, type GbnfNode, type GbnfRule, writeGbnf } from './grammar/gbnf.ts';
export { createGbnfMatcher, type GbnfReading } from './grammar/gbnf-expression.ts';
export { spellValue } from './grammar/json-schema/spell-value.ts';
export { compileValidator, type Validate, type ValidationFailure } from './grammar/json-schema/validate.ts';
export { type GbnfFinding, lintGbnf } from './grammar/lint-gbnf.ts';
export type { Matcher, MatcherOptions } from './grammar/matcher.ts';
export { readGbnf } from './grammar/read-gbnf.ts';
export { writeResponse } from './grammar/write-response.ts';
export type * from './messages.ts';
export type * from './runtime/events.ts';
export type { ResponseModule } from './runtime/module-contract.ts';
export type { ResponseParser, ResponseParserOptions, ResponsePiece } from './runtime/response-parser.ts';
export {
  createResponseTemplateParser,
  parseBatchWithResponseTemplate,
  parseWithResponseTemplate,
  type RegionEvent,
  type ResponseTemplate,
  type ResponseTemplateOptions,
  type ResponseTemplateParser,
} from './runtime/response-template/index.ts';
export type { ParsedValue, SchemaValue } from './schema-value.ts';
export { type RenderedPrompt, readGenerationPrompt } from './template/generation-prompt.ts';
export { type RenderPromptOptions, renderPrompt } from './template/render-prompt.ts';
export {
  type CallContext,
  type ChatEvent,
  defineTool,
  normalizeTools,
  type ToolCallOf,
  type ToolInput,
  type ToolList,
  type ToolSchema,
} from './tools.ts';
export {
  type LawBreach,
  type LawName,
  type Verification,
  type VerifyOptions,
  verifyTemplate,
} from './verify/verify-template.ts';
