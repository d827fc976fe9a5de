/** Derives the options for prompts and parsers from those of a chat. */
import type { ChatFormat } from '../../format/chat-format.ts';
import type { SchemaIssue } from '../../format/errors.ts';
import type { Message, Tool } from '../../format/messages.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import type { BuiltGrammar } from '../../grammar/built-grammar.ts';
import type { Steps } from '../../language/expression/steps.ts';
import type { ResponseParserOptions } from '../../parser/response-parser.ts';
import { callIds } from './call-ids.ts';
import type { ChatOptions } from './chat-options.ts';
import type { CallGuard } from './checks/call-guard.ts';
import { answersJson, mayCallInstead } from './checks/json-or-calls.ts';
import type { TemplateCache } from './learned-template.ts';
import type { PromptRequest } from './open-turn.ts';
import type { TracedPrompt } from './prompt-pieces.ts';
import type { LearnedTemplate } from './template-reader.ts';

/** A request whose options were checked. */
export interface ChatRequest<Options extends ChatOptions> {
  readonly options: Options;
  readonly tools: readonly Tool[];
  readonly template: LearnedTemplate;
  /** The prompt of these messages instead, in steps. Throws what `renderPrompt` throws. */
  readonly render: (messages: readonly Message[]) => Steps<TracedPrompt>;
  /** Results without a call, for the report. */
  readonly strays: readonly SchemaIssue[];
}

/** The prompt of a chat with `tools`. */
export function promptRequest(
  options: ChatOptions,
  tools: readonly Tool[],
  templates: TemplateCache,
  { input }: ChatFormat,
): PromptRequest {
  const { messages, thinking, templateVariables, continueFinalMessage } = options;
  return {
    messages,
    tools,
    ...withoutUndefined({ thinking, templateVariables, continueFinalMessage }),
    addGenerationPrompt: continueFinalMessage !== true,
    input,
    name: templates.sources.name,
    ...templates.specialTexts,
  };
}

/**
 * The options of the parser. If the grammar applies from the first token, the response conforms to the format, and a
 * marker that only leniency accepts is text to the grammar; so it must be text to the parser.
 */
export function parserOptions(
  options: ChatOptions,
  tools: readonly Tool[],
  generationPrompt: string,
  { expression, lazy }: BuiltGrammar,
  guard: CallGuard,
): ResponseParserOptions {
  const isStrict = expression !== null && !lazy && !isPlainText(options);
  const keepsToFormat = isStrict && !mayCallInstead(options, tools);
  return {
    tools: options.toolChoice === 'none' ? [] : tools,
    generationPrompt,
    leniency: keepsToFormat ? 'strict' : 'lenient',
    createId: callIds(options.messages, options.createCallId),
    validate: guard.validate,
    provenance: guard.enforced,
    ...withoutUndefined({
      parallelToolCalls: options.parallelToolCalls,
      reasoningFormat: options.reasoningFormat,
      responseFormat: answersJson(options) ? options.responseFormat : undefined,
    }),
  };
}

/** Whether only thoughts and text are possible, even if a grammar excludes calls. */
export function isPlainText({ toolChoice, responseFormat }: ChatOptions): boolean {
  return toolChoice === 'none' && (responseFormat === undefined || responseFormat.type === 'text');
}
