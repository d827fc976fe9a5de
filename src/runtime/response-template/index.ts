/** The public names of response templates. */
export { castText, castToolCalls, schemaTypes } from './casting.ts';
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
  RegionOpen,
  ResponseTemplate,
  ResponseTemplateField,
  TemplateMessage,
} from './template.ts';
