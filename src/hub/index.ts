/** Models from Hugging Face: inspected before a download, and verified after it. Needs Node. */
export { defaultCacheFolder } from './cache.ts';
export {
  type CacheContents,
  type CachedModel,
  type CachedRemnant,
  findCachedModel,
  listCachedModels,
  type Removed,
  removeCachedModels,
} from './cached-models.ts';
export * from './errors.ts';
export type { FetchStep } from './fetch-blob.ts';
export { type GgufHeaderOptions, readGgufHeader } from './gguf/gguf-header.ts';
export {
  type ChatTemplates,
  effectiveTemplate,
  type GgufHeader,
  type SpecialTokens,
} from './gguf/read-header.ts';
export {
  type ModelCard,
  type ObserveCapabilities,
  requireToolSupport,
  type TemplateCard,
} from './inspect-model.ts';
export {
  type InspectOptions,
  inspectModel,
  type ObtainedModel,
  type ObtainOptions,
  obtainModel,
} from './obtain-model.ts';
export { type PullEvent, type PulledModel, type PullOptions, pullModel } from './pull-model.ts';
export { looksLikeReference, type ModelReference, parseModelReference } from './reference.ts';
export type { RemoteFile, ResolvedModel } from './resolve-model.ts';
