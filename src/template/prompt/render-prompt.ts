/** Renders OpenAI-shaped messages and tools to a prompt with the model's own template. */
import type { InputShape } from '../../format/chat-format.ts';
import { readMessages } from '../../format/check-messages.ts';
import { TemplateError, UnsupportedOptionError } from '../../format/errors.ts';
import type { AssistantMessage, Message, Tool } from '../../format/messages.ts';
import {
  anyValue,
  boolean,
  chatTemplate,
  date,
  messageForm,
  type OptionRules,
  object,
  readOptions,
  requireOption,
  string,
} from '../../format/option-rules.ts';
import { finish, type Steps } from '../../language/expression/steps.ts';
import { promptToolsSteps } from '../../tools/prompt-tools.ts';
import { normalizeTools, type ToolList } from '../../tools/tools.ts';
import type { Template } from '../parsed-template.ts';
import { OwnText, parseTemplate, type TextSpan } from '../template.ts';
import { strftime } from '../values/strftime.ts';
import { renderAcceptably } from './after-refusal.ts';
import { observeInputShape, readArguments, type ShapedMessage, shapeMessages } from './input-shape.ts';
import { plantPreambles } from './preambles.ts';
import { makeReadable } from './readable-messages.ts';
import { asSpans, asText, type RenderKind } from './render-kind.ts';
import { withShownCalls } from './shown-calls.ts';
import { requireVariables } from './template-variables.ts';
import { refusedSwitch, thinkingSwitches } from './thinking-switches.ts';

/** What to render, and how. */
export interface RenderPromptOptions {
  /** The conversation, in OpenAI's format: arguments as JSON text, thoughts as `reasoning_content`. */
  readonly messages: readonly Message[];
  /** Tools the model may call, in any form that `normalizeTools` accepts; default none. */
  readonly tools?: ToolList;
  /** Opens the assistant's turn at the end; default true. Off with `continueFinalMessage`. */
  readonly addGenerationPrompt?: boolean;
  /**
   * Turns thinking on or off by setting every thinking variable that the template reads; default: the template's own
   * choice. Has no effect if the template has no such variable.
   */
  readonly thinking?: boolean;
  /**
   * Additional variables for the template (`reasoning_effort`, `documents`); they override what `thinking` sets. Those
   * that other options decide (`messages`, `tools`, `add_generation_prompt`, `bos_token`, `eos_token`) are refused.
   */
  readonly templateVariables?: Readonly<Record<string, unknown>>;
  /** Text of the beginning-of-sequence token, for templates that write it; default `""`. */
  readonly bosToken?: string;
  /** Text of the end-of-sequence token, for templates that write it; default `""`. */
  readonly eosToken?: string;
  /** The current time for the template; default: the actual time. */
  readonly now?: Date;
  /** The template's message shape, if known (`ChatFormat.input`); detected by default. */
  readonly input?: InputShape;
  /**
   * Leaves the last message, an assistant's, open: the prompt ends at the end of its content, or of its reasoning if
   * it has no content. Default false.
   */
  readonly continueFinalMessage?: boolean;
  /** The template's name in errors; default `template`. */
  readonly name?: string;
}

/** Messages and tools are validated where they are read. */
const optionRules: OptionRules<RenderPromptOptions> = {
  messages: anyValue,
  tools: anyValue,
  addGenerationPrompt: boolean,
  thinking: boolean,
  templateVariables: object,
  bosToken: string,
  eosToken: string,
  now: date,
  input: messageForm,
  continueFinalMessage: boolean,
  name: string,
};

/** Validates options of `renderPrompt`. Throws `UnsupportedOptionError`. */
export function readPromptOptions(given: RenderPromptOptions): RenderPromptOptions {
  const options = readOptions(given, optionRules);
  requireVariables(options.templateVariables);
  return options;
}

/** With tools as templates see them. */
type PlainOptions = Omit<RenderPromptOptions, 'tools'> & { readonly tools: readonly Tool[] };

/** Marks the end of a continued message; private-use characters that do not occur in text by chance. */
const endMark = '\uE0C1\uF8D2\uE0C3';

const rememberedTemplates = 16;
const parsed = new Map<string, Template>();

/** Parses a template, or finds it in the cache of recent ones. */
export function rememberedTemplate(source: string, name: string): Template {
  const key = `${name}\n${source}`;
  const template = parsed.get(key) ?? parseTemplate(source, { name });
  parsed.delete(key);
  parsed.set(key, template);
  const [oldest] = parsed.keys();
  if (parsed.size > rememberedTemplates && oldest !== undefined) parsed.delete(oldest);
  return template;
}

/** Variables that some templates require, by name; passed only if a render asks for them. */
const lastResorts: ReadonlyMap<string, (options: PlainOptions) => unknown> = new Map<
  string,
  (options: PlainOptions) => unknown
>([
  [
    'functions',
    ({ tools }) =>
      JSON.stringify(
        tools.map((tool) => tool.function),
        null,
        4,
      ),
  ],
  ['datetime', ({ now = new Date() }) => strftime(now, '%Y-%m-%d %H:%M:%S')],
  ['date_string', ({ now = new Date() }) => strftime(now, '%d %b %Y')],
  ['documents', () => []],
  ['tools', () => []],
]);

function missingName(error: unknown): string | undefined {
  if (!(error instanceof TemplateError) || error.kind !== 'runtime') return undefined;
  return /^UndefinedError: '(\w+)' is undefined$/.exec(error.reason)?.[1];
}

/** What transformers passes as `None` if there is none of it. */
const absentAsNone = ['tools', 'documents'] as const;

/** Leaves out what is absent instead of passing `None`, at which some templates fail. */
function dropAbsent(variables: Record<string, unknown>, error: unknown): boolean {
  if (!(error instanceof TemplateError) || error.kind !== 'runtime') return false;
  const absent = absentAsNone.filter((name) => variables[name] === null);
  for (const name of absent) delete variables[name];
  return absent.length > 0;
}

/** Renders, and passes the template the variables that it turns out to require. */
function* renderWithResorts<Render>(
  template: Template,
  variables: Record<string, unknown>,
  options: PlainOptions,
  kind: RenderKind<Render>,
): Steps<Render> {
  const clock = options.now === undefined ? {} : { now: options.now };
  const given = { ...variables };
  for (;;) {
    try {
      return yield* kind.render(template, given, clock);
    } catch (error) {
      if (dropAbsent(given, error)) continue;
      const name = missingName(error);
      const resort = name === undefined || name in given ? undefined : lastResorts.get(name);
      if (name === undefined || resort === undefined) throw error;
      given[name] = resort(options);
    }
  }
}

function baseVariables(template: Template, options: PlainOptions): Record<string, unknown> {
  const variables: Record<string, unknown> = {
    add_generation_prompt:
      options.continueFinalMessage === true ? false : (options.addGenerationPrompt ?? true),
    bos_token: new OwnText(options.bosToken ?? ''),
    eos_token: new OwnText(options.eosToken ?? ''),
  };
  for (const name of absentAsNone) variables[name] = null;
  if (options.tools.length > 0) variables.tools = options.tools;
  return { ...variables, ...thinkingValues(template, options) };
}

/** The variables that turn thinking on or off; none if that is the template's own choice. */
function thinkingValues(
  template: Template,
  { thinking, input }: Pick<RenderPromptOptions, 'thinking' | 'input'>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  if (thinking === undefined) return values;
  for (const name of input?.thinkingVariables ?? []) values[name] = thinking;
  for (const { name, on, off } of thinkingSwitches(template)) values[name] = thinking ? on : off;
  return values;
}

/** The variables of a request, for a server that renders the same template. */
export function requestVariables(
  templateSource: string,
  options: Pick<RenderPromptOptions, 'thinking' | 'input' | 'templateVariables' | 'name'>,
): Readonly<Record<string, unknown>> {
  const template = rememberedTemplate(templateSource, options.name ?? 'template');
  return { ...thinkingValues(template, options), ...options.templateVariables };
}

function cannotContinue(reason: string): UnsupportedOptionError {
  return new UnsupportedOptionError({ option: 'continueFinalMessage', reason });
}

/** Throws if the template itself refuses the setting of thinking, which would have no effect otherwise. */
function refuseUnknownThinking(template: Template, thinking: boolean): void {
  const variable = refusedSwitch(template, thinking);
  if (variable === null) return;
  const reason = `the template refuses \`${variable}\` = ${thinking}: the model cannot be asked for that`;
  throw new UnsupportedOptionError({ option: 'thinking', reason });
}

/** The messages with a mark where the last one is continued. */
function markEnd(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') throw cannotContinue("the last message is not the assistant's");
  if ((last.tool_calls?.length ?? 0) > 0) throw cannotContinue('the last message already calls tools');
  return [...messages.slice(0, -1), markMessage(last)];
}

function markMessage(last: AssistantMessage): AssistantMessage {
  const { content, reasoning_content: reasoning } = last;
  if (typeof content === 'string' && content !== '') return { ...last, content: content + endMark };
  if (Array.isArray(content) && content.length > 0) {
    const part = content.at(-1);
    if (typeof part?.text !== 'string') throw cannotContinue('the last part of the last message is not text');
    return { ...last, content: [...content.slice(0, -1), { ...part, text: part.text + endMark }] };
  }
  if (reasoning !== undefined && reasoning !== '') return { ...last, reasoning_content: reasoning + endMark };
  return { ...last, content: endMark };
}

function cutAtMark<Render>(rendered: Render, kind: RenderKind<Render>): Render {
  const end = kind.text(rendered).lastIndexOf(endMark);
  if (end >= 0) return kind.slice(rendered, 0, end);
  throw cannotContinue('the template does not render the text in which the last message ends');
}

/** Roles were validated, so they count as the template's own: many markers contain them. */
function withOwnRoles(messages: readonly ShapedMessage[]): readonly ShapedMessage[] {
  return messages.map((message) => ({ ...message, role: new OwnText(String(message.role)) }));
}

/**
 * Renders a prompt from a chat template's source.
 *
 * Throws TemplateError (the template does not parse, raises, or fails), TemplateLimitError, MessageError and
 * ToolListError (invalid messages or tools), and UnsupportedOptionError (an invalid option, or `continueFinalMessage`
 * without anything to continue). Texts in messages and tools are data: nothing in them is interpreted as template
 * code.
 */
export function renderPrompt(templateSource: string, given: RenderPromptOptions): string {
  return finish(renderPromptSteps(templateSource, given));
}

/**
 * The prompt in spans with their origin: `template`, or `data` for text from messages, tools and template variables,
 * however the template cut, joined or changed it. Only `template` spans may become special tokens: tokenise them with
 * special tokens, and `data` without. The roles of messages, `bosToken` and `eosToken` count as the template's own.
 * Throws the errors of `renderPrompt`.
 */
export function renderPromptSpans(templateSource: string, given: RenderPromptOptions): readonly TextSpan[] {
  return finish(renderSpansSteps(templateSource, given));
}

/** `renderPrompt` in steps. */
export function renderPromptSteps(templateSource: string, given: RenderPromptOptions): Steps<string> {
  return renderConversation(templateSource, given, asText);
}

/** `renderPromptSpans` in steps. */
export function renderSpansSteps(
  templateSource: string,
  given: RenderPromptOptions,
): Steps<readonly TextSpan[]> {
  return renderConversation(templateSource, given, asSpans);
}

function* renderConversation<Render>(
  templateSource: string,
  given: RenderPromptOptions,
  kind: RenderKind<Render>,
): Steps<Render> {
  requireOption('templateSource', templateSource, chatTemplate);
  const { tools = [], ...read } = readPromptOptions(given);
  const options = { ...read, tools: yield* promptToolsSteps(normalizeTools(tools)) };
  yield;
  const conversation = readMessages(options.messages);
  yield;
  const template = rememberedTemplate(templateSource, options.name ?? 'template');
  if (options.thinking !== undefined) refuseUnknownThinking(template, options.thinking);
  const shape = options.input ?? observeInputShape(template);
  const continued = options.continueFinalMessage === true;
  function* render(messages: readonly Message[]): Steps<Render> {
    const shaped = withOwnRoles(shapeMessages(messages, shape, yield* readArguments(messages, shape)));
    const variables = { ...baseVariables(template, options), messages: shaped };
    yield;
    return yield* renderWithResorts(template, { ...variables, ...options.templateVariables }, options, kind);
  }
  const readable = withShownCalls(template, makeReadable(template, conversation));
  const { messages, place } = plantPreambles(continued ? markEnd(readable) : readable, shape, kind);
  yield;
  const rendered = place(yield* renderAcceptably(messages, render));
  yield;
  return continued ? cutAtMark(rendered, kind) : rendered;
}
