/** Models from Hugging Face: look before you pull, verify, refuse. Needs Node. */
export { defaultCacheFolder } from './cache.ts';
export {
  type CacheContents,
  type CachedModel,
  type CachedRemnant,
  findCachedModel,
  listCachedModels,
  removeCachedModels,
} from './cached-models.ts';
export * from './errors.ts';
export { effectiveTemplate, type GgufHeader, type GgufHeaderOptions, readGgufHeader } from './gguf-header.ts';
export { type ModelCard, requireToolSupport, type TemplateCard } from './inspect-model.ts';
export {
  type InspectOptions,
  inspectModel,
  type ObtainedModel,
  type ObtainOptions,
  obtainModel,
} from './obtain-model.ts';
export { type PullEvent, type PulledModel, type PullOptions, pullModel } from './pull-model.ts';
export { looksLikeReference, type ModelReference, parseModelReference } from './reference.ts';
