/** From OpenAI-shaped messages and tools to the prompt text that a model's own template writes. */
import type { InputShape } from '../chat-format.ts';
import type { Message, Tool } from '../messages.ts';
import { parseTemplate } from './template.ts';

/** What to render, and how. */
export interface RenderPromptOptions {
  readonly messages: readonly Message[];
  /** Tools the model may call; default none. */
  readonly tools?: readonly Tool[];
  /** Opens the assistant's turn at the end; default true. */
  readonly addGenerationPrompt?: boolean;
  /** Sets every thinking variable that the template reads; default: the template's own choice. */
  readonly thinking?: boolean;
  /** More variables for the template; they win over all others. */
  readonly templateVariables?: Readonly<Record<string, unknown>>;
  /** Default `""`. */
  readonly bosToken?: string;
  /** Default `""`. */
  readonly eosToken?: string;
  /** What the template takes for the present time; default: the time of the call. */
  readonly now?: Date;
  /** The template's message shape, where it is already known (`ChatFormat.input`). */
  readonly input?: InputShape;
  /** Leaves the last message open, to be continued by the model; default false. */
  readonly continueFinalMessage?: boolean;
  /** Names the template in errors; default `template`. */
  readonly name?: string;
}

/** Renders a prompt from a chat template's source. Throws TemplateError or TemplateLimitError. */
export function renderPrompt(templateSource: string, options: RenderPromptOptions): string {
  const template = parseTemplate(templateSource, { name: options.name ?? 'template' });
  const variables: Record<string, unknown> = {
    messages: options.messages,
    add_generation_prompt: options.addGenerationPrompt ?? true,
    bos_token: options.bosToken ?? '',
    eos_token: options.eosToken ?? '',
  };
  if (options.tools !== undefined && options.tools.length > 0) variables.tools = options.tools;
  for (const name of options.input?.thinkingVariables ?? ['enable_thinking', 'thinking']) {
    if (options.thinking !== undefined) variables[name] = options.thinking;
  }
  return template.render({ ...variables, ...options.templateVariables });
}
