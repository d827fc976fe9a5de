/** `idiolect/ai-sdk`: models of Idiolect as language models of the AI SDK (`ai` 6 and 7). */
export { type IdiolectModel, idiolect } from './language-model.ts';
export type { IdiolectProviderOptions } from './read-options.ts';
