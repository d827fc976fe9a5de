/** `idiolect/response-template`: the public API of response templates, and what generated modules import. */
export type { JsonValue } from '../format/messages.ts';
export { castText, castToolCalls, schemaTypes } from './casting.ts';
export { loadResponseTemplate } from './load.ts';
export {
  contentOptions,
  literal,
  pattern,
  placeholder,
  type Region,
  readContent,
  readEach,
  responseTemplateContractVersion,
  scopeOf,
  startModuleParser,
  type TemplateModule,
} from './module-contract.ts';
export type { LoadedTemplate } from './region.ts';
export {
  createResponseTemplateParser,
  parseBatchWithResponseTemplate,
  parseWithResponseTemplate,
  type ResponseTemplateOptions,
  type ResponseTemplateParser,
} from './response-template-parser.ts';
export type {
  ContentParserName,
  FieldValue,
  RegionChunk,
  RegionClose,
  RegionEvent,
  RegionMalformed,
  RegionOpen,
  ResponseTemplate,
  ResponseTemplateField,
  TemplateMessage,
} from './template.ts';
export { placeholderPath } from './transform.ts';
