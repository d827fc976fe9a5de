/** Renders messages through a real template and cuts out what the assistant's turn says. */
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { TemplateError } from '../../src/format/errors.ts';
import type { AssistantMessage, Message, Tool } from '../../src/format/messages.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { Template } from '../../src/template/parsed-template.ts';
import { shapeMessages } from '../../src/template/prompt/input-shape.ts';
import { thinkingSwitches } from '../../src/template/prompt/thinking-switches.ts';
import { parseTemplate } from '../../src/template/template.ts';

export const tokens = { bosToken: '[bos]', eosToken: '[eos]' };

const question = 'What is it?';

/** Tools whose schemas fit the arguments of the calls. */
function toolsFor(message: AssistantMessage): readonly Tool[] {
  const byName = new Map<string, Record<string, object>>();
  for (const call of message.tool_calls ?? []) {
    const properties = byName.get(call.function.name) ?? {};
    for (const [key, value] of Object.entries(JSON.parse(call.function.arguments) as object)) {
      properties[key] = { ...schemaOf(value), description: 'about' };
    }
    byName.set(call.function.name, properties);
  }
  return [...byName].map(([name, properties]) => ({
    type: 'function',
    function: {
      name,
      description: 'about',
      parameters: {
        type: 'object',
        properties: properties as never,
        required: [],
        additionalProperties: false,
      },
    },
  }));
}

function schemaOf(value: unknown): object {
  if (value === null) return { type: 'string' };
  if (Array.isArray(value)) return { type: 'array', items: { type: 'string' } };
  if (typeof value === 'object') return { type: 'object', properties: {}, additionalProperties: true };
  if (typeof value === 'number') return { type: Number.isInteger(value) ? 'integer' : 'number' };
  return { type: typeof value };
}

/** What a template puts around a turn's text. */
interface Surroundings {
  readonly before: string;
  readonly after: string;
}

/** One template with its format: renders messages, and writes what it should render. */
export class ExactRender {
  readonly #template: Template;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #surroundings = new Map<string, Surroundings | null>();

  constructor(
    source: string,
    readonly format: ChatFormat,
    thinking: boolean,
  ) {
    this.#template = parseTemplate(source);
    const switches = thinkingSwitches(this.#template);
    this.#variables = thinking ? Object.fromEntries(switches.map((each) => [each.name, each.on])) : {};
  }

  /** What follows the user's text; `null` where the template refuses the message. */
  render(message: AssistantMessage): string | null {
    const hasText = (message.content?.length ?? 0) > 0 && (message.tool_calls?.length ?? 0) > 0;
    // The template by itself has no place for text before a call; the prompt is completed with it.
    if (hasText && this.format.input.preamble !== undefined) return null;
    const tools = toolsFor(message);
    return this.#afterUser([message], tools) ?? this.#afterUser([message], []);
  }

  #afterUser(messages: readonly Message[], tools: readonly Tool[]): string | null {
    try {
      const text = this.#template.render({
        messages: shapeMessages([{ role: 'user', content: question }, ...messages], this.format.input),
        ...(tools.length === 0 ? {} : { tools: structuredClone(tools) }),
        add_generation_prompt: false,
        bos_token: tokens.bosToken,
        eos_token: tokens.eosToken,
        functions: '[]',
        datetime: 'now',
        ...this.#variables,
      });
      return text.slice(text.lastIndexOf(question) + question.length);
    } catch (error) {
      if (error instanceof TemplateError) return null;
      throw error;
    }
  }

  /** What the format writes for a message, with what the template puts around a plain message like it. */
  write(message: AssistantMessage): string {
    const around = this.#around(plainLike(message));
    const written = this.format.turn.start + writeResponse(this.format, message);
    return around === null ? written : around.before + written + around.after;
  }

  /** Surroundings do not depend on what a message says, only on which parts it has. */
  #around(plain: AssistantMessage): Surroundings | null {
    const parts = JSON.stringify(plain);
    const known = this.#surroundings.get(parts);
    if (known !== undefined) return known;
    const rendered = this.render(plain);
    const written = this.format.turn.start + writeResponse(this.format, plain);
    const at = rendered?.indexOf(written) ?? -1;
    const found =
      rendered === null || at < 0
        ? null
        : { before: rendered.slice(0, at), after: rendered.slice(at + written.length) };
    this.#surroundings.set(parts, found);
    return found;
  }
}

/** A message with the same parts and nothing awkward in them. */
function plainLike(message: AssistantMessage): AssistantMessage {
  const tool_calls = (message.tool_calls ?? []).map((_, index) => ({
    id: `callid00${index}`,
    type: 'function' as const,
    function: { name: `plain${index}`, arguments: '{"a":"b"}' },
  }));
  return {
    role: 'assistant',
    content: (message.content ?? '') === '' ? '' : 'plain',
    ...(message.reasoning_content === undefined ? {} : { reasoning_content: 'thought' }),
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  };
}
