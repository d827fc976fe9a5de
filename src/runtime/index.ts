/** `idiolect/runtime`: what generated modules and applications import. Nothing here needs Node. */
export type { ChatFormat } from '../chat-format.ts';
export {
  type ChatChunk,
  type ChatDelta,
  ChatDeltas,
  type FoldedCall,
  type FoldedResponse,
  foldEvents,
  type ToolCallDelta,
} from './assistant-message.ts';
export {
  type CompiledArguments,
  type CompiledTools,
  type PackedExpression,
  rememberTools,
} from './compiled-tools.ts';
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
export { partialArguments } from './partial-json.ts';
export type { Reader } from './reader.ts';
export {
  createModuleParser,
  type ParserPosition,
  type ResponseParser,
  type ResponseParserOptions,
  type ResponsePiece,
} from './response-parser.ts';
export { expect, expectTable, holeTable, readHole, recover, recoverTable } from './steps-call.ts';
export { readHeader } from './steps-header.ts';
export { jsonArgumentsTable, readEnvelope, readJsonArguments } from './steps-json.ts';
export { begin, beginTable, doubtTable, readDoubt, readRegion, regionTable } from './steps-text.ts';
export { readTrial, trialTable } from './steps-trial.ts';
export { beginItem, endArguments, endNested, readValue, valueTable } from './steps-values.ts';
