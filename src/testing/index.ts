/** Cases for parsers, and small models as files. Nothing here needs Node. */
export type { CaseOptions, ResponseCase } from './case-builder.ts';
export { responseCase } from './case-builder.ts';
export type { CaseDifference } from './case-error.ts';
export { ResponseCaseError } from './case-error.ts';
export type {
  ScriptedEngineOptions,
  ScriptedTurn,
  TemplateOptions,
  TinyEngineOptions,
} from './engine-options.ts';
export type { JavaScriptEngineOptions } from './evaluator/file-engine.ts';
export { eventLog, mergeEvents } from './event-log.ts';
export type { Reading } from './every-cut.ts';
export { readAtEveryCut } from './every-cut.ts';
export type { ExpectedCall, ExpectedResponse } from './expected-response.ts';
export type { GgufMetadata, GgufTensor, GgufValue } from './gguf-types.ts';
export { writeGguf } from './gguf-writer.ts';
export type {
  ModelFileOptions,
  RenamedToken,
  TinyModelOptions,
  Vocabulary,
} from './model-file-options.ts';
export { scriptedEngine } from './scripted-engine.ts';
export { tinyEngine } from './tiny-engine.ts';
export { replaceableTokens, tinyModel, tokenTexts, vocabularyOf } from './tiny-model.ts';
export type { ToyFormat } from './toy/templates.ts';
export { toyEngine } from './toy/toy-engine.ts';
export { toyModel } from './toy/toy-model.ts';
