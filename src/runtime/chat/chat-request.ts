/** A chat's options in the words of those who render its prompt and read its response. */
import type { ChatFormat } from '../../format/chat-format.ts';
import type { Tool } from '../../format/messages.ts';
import type { BuiltGrammar } from '../../grammar/build-grammar.ts';
import type { ResponseParserOptions } from '../../parser/response-parser.ts';
import { toJsonSchema } from '../../tools/standard-schema.ts';
import { callIds } from './call-ids.ts';
import type { ChatOptions } from './chat-options.ts';
import { type ResponseChecks, responseChecks } from './checks/response-checks.ts';
import type { TemplateCache } from './learned-template.ts';
import type { PromptRequest } from './prompt-pieces.ts';
import { argumentCheck } from './tool-loop/argument-checks.ts';

/** What to render for a chat with `tools`. */
export function promptRequest(
  options: ChatOptions,
  tools: readonly Tool[],
  templates: TemplateCache,
  { input }: ChatFormat,
): PromptRequest {
  return {
    messages: options.messages,
    tools,
    ...optional('thinking', options.thinking),
    ...optional('templateVariables', options.templateVariables),
    ...optional('continueFinalMessage', options.continueFinalMessage),
    addGenerationPrompt: options.continueFinalMessage !== true,
    input,
    name: templates.sources.name,
    ...templates.specialTexts,
  };
}

/**
 * How its response is to be read. Where the grammar holds from the first token on, the response keeps to the format,
 * and a marker that only leniency knows is text to the grammar: so it is to the parser.
 */
export function parserOptions(
  options: ChatOptions,
  tools: readonly Tool[],
  generationPrompt: string,
  { expression, lazy }: BuiltGrammar,
): ResponseParserOptions {
  const keepsToFormat = expression !== null && !lazy && !isPlainText(options);
  return {
    tools: options.toolChoice === 'none' ? [] : tools,
    generationPrompt,
    leniency: keepsToFormat ? 'strict' : 'lenient',
    createId: callIds(options.messages),
    ...optional('parallelToolCalls', options.parallelToolCalls),
    ...optional('reasoningFormat', options.reasoningFormat),
    ...optional('validate', argumentCheck(options.tools, options.policy) ?? undefined),
  };
}

/** What is checked of the response, as the report of its grammar says; `null` where nothing is. */
export function checksOf(
  { report }: BuiltGrammar,
  tools: readonly Tool[],
  { responseFormat }: Pick<ChatOptions, 'responseFormat'>,
): ResponseChecks | null {
  const schema =
    responseFormat?.type === 'json_schema' ? toJsonSchema(responseFormat.json_schema.schema) : null;
  return responseChecks(report, tools, schema);
}

/** Whether nothing but thoughts and text may come, whatever grammar keeps calls away. */
export function isPlainText({ toolChoice, responseFormat }: ChatOptions): boolean {
  return toolChoice === 'none' && (responseFormat === undefined || responseFormat.type === 'text');
}

/** A field that is there only if it has a value. */
function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]: Value });
}
