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
export type {
  AnyResponseEvent,
  Finish,
  Malformed,
  Marker,
  ReasoningDelta,
  ReasoningEnd,
  ReasoningStart,
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
export {
  type EndArgumentsTable,
  type EndNestedTable,
  type EnvelopeTable,
  type GeneratedModule,
  type HeaderTable,
  type ItemTable,
  moduleContractVersion,
  type ResponseModule,
  type State,
} from './module-contract.ts';
export type { Reader } from './reader.ts';
export {
  createModuleParser,
  type ParserPosition,
  type ResponseParser,
  type ResponseParserOptions,
  type ResponsePiece,
} from './response-parser.ts';
export { expect, expectTable, recover, recoverTable } from './steps/steps-call.ts';
export { readHeader } from './steps/steps-header.ts';
export { holeTable, readHole } from './steps/steps-hole.ts';
export { jsonArgumentsTable, readEnvelope, readJsonArguments } from './steps/steps-json.ts';
export { readSpeculative as readTrial, speculativeTable } from './steps/steps-speculative.ts';
export {
  ambiguousTable,
  begin,
  beginTable,
  readAmbiguous,
  readRegion,
  regionTable,
} from './steps/steps-text.ts';
export { beginItem, endArguments, endNested, readValue, valueTable } from './steps/steps-values.ts';
