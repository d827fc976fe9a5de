/** Chatting with models that anything evaluates in this process: in Node, or in a page. */

export type { TokenBitmap } from '../../language/matcher/masks/token-bitmap.ts';
export type { TokenIndex, TokenIndexStore } from '../../language/matcher/token-index.ts';
export type { LikelyToken, TokenLogprob } from '../../parser/events.ts';
export type { ChatOptions, PrepareOptions } from '../chat/chat-options.ts';
export * from '../chat/index.ts';
export type { ToolCaller } from '../chat/tool-loop/run-events.ts';
export { runTools } from '../chat/tool-loop/run-tools.ts';
export type { RunToolsOptions } from '../chat/tool-loop/run-tools-options.ts';
export type { CompletionOptions } from './completion-options.ts';
export { connectEngine } from './connect-engine.ts';
export type {
  BiasedPart,
  DrawnToken,
  Engine,
  EnginePrompt,
  EngineSampling,
  EngineSequence,
  EngineTokenizer,
  GrammarAt,
  Mask,
  TokenBiases,
  TokenType,
} from './engine.ts';
export type { ChatPreview, EngineModel } from './engine-model.ts';
export type { EngineOptions } from './engine-options.ts';
export { maskLogits } from './masks/mask-logits.ts';
export { type SteeredChat, type SteeredModel, type SteerOptions, steer } from './steer.ts';
