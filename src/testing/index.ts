/** Small models and the files they come in, for tests and demonstrations. */
export type { GgufMetadata, GgufTensor, GgufValue } from './gguf-writer.ts';
export { writeGguf } from './gguf-writer.ts';
export type { ScriptedModelOptions } from './scripted-model.ts';
export { scriptedModel } from './scripted-model.ts';
export type { ModelFileOptions, RenamedToken, TinyModelOptions, Vocabulary } from './tiny-model.ts';
export { replaceableTokens, tinyModel, tokenTexts, vocabularyOf } from './tiny-model.ts';
