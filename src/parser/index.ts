/** `idiolect/parser`: what generated modules and applications import. Nothing here needs Node. */
export type { ChatFormat } from '../format/chat-format.ts';
export {
  type CompiledArguments,
  type CompiledTools,
  type PackedExpression,
  rememberTools,
} from '../format/compiled-tools.ts';
export {
  type ChatChunk,
  type ChatDelta,
  ChatDeltas,
  type FoldedCall,
  type FoldedResponse,
  foldEvents,
  type ToolCallDelta,
} from './assistant-message.ts';
export { defineParser, type MarkerDefinition, type ParserDefinition } from './define-parser.ts';
export type {
  AnyResponseEvent,
  Assurance,
  BrokenCall,
  Finish,
  LeniencyLaw,
  Malformed,
  Marker,
  Overruled,
  PossibleCall,
  ReadToolCall,
  ReasoningDelta,
  ReasoningEnd,
  ReasoningStart,
  Repaired,
  ResponseEvent,
  ResponseMessage,
  TextDelta,
  TextEnd,
  TextStart,
  ToolCallEvent,
  ToolInputDelta,
  ToolInputEnd,
  ToolInputStart,
} from './events.ts';
export { partialArguments } from './json/partial-json.ts';
export { type GeneratedModule, moduleContractVersion, type ResponseModule } from './module-contract.ts';
export { createModuleParser } from './module-parser.ts';
export type { Provenance } from './provenance.ts';
export type { Reader, State } from './reader.ts';
export type {
  CallNotation,
  OpenCall,
  ParserPosition,
  ResponseParser,
  ResponseParserOptions,
  ResponsePiece,
} from './response-parser.ts';
export type { StateDefinition } from './steps/state-definition.ts';
export {
  ambiguous,
  argumentsEnd,
  between,
  expect,
  header,
  hole,
  item,
  jsonArguments,
  jsonCall,
  nestedEnd,
  recover,
  region,
  speculative,
  value,
} from './steps/steps.ts';
