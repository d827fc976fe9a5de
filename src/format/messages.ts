/** Conversations and tools in the shapes of OpenAI's Chat Completions API. Imports nothing. */

/** Any JSON value. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** Any JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A JSON Schema: a boolean or an object of keywords. */
export type JsonSchema = boolean | JsonObject;

/** A function that the model may call. */
export interface Tool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string;
    /** JSON Schema of the arguments, an object schema. Absent means no arguments. */
    readonly parameters?: JsonSchema;
  };
}

/**
 * `auto`: text or calls. `required`: at least one call. A name: that call. `none`: no call. Allowed tools: the prompt
 * describes all tools, but only these may be called.
 */
export type ToolChoice = 'auto' | 'required' | 'none' | NamedTool | AllowedTools;

/** One tool, by name. */
export interface NamedTool {
  readonly type: 'function';
  readonly function: { readonly name: string };
}

/** Some of the tools, and whether one of them must be called. */
export interface AllowedTools {
  readonly type: 'allowed_tools';
  readonly allowed_tools: {
    readonly mode: 'auto' | 'required';
    readonly tools: readonly NamedTool[];
  };
}

/** A part of a content array: `{ type: "text", text: "…" }`; other types are passed to the template unchanged. */
export interface ContentPart {
  readonly type: string;
  readonly [key: string]: JsonValue;
}

/** One call in an assistant message. */
export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    /** JSON text, as in OpenAI's API. */
    readonly arguments: string;
  };
}

/** Instructions before the conversation. */
export interface SystemMessage {
  readonly role: 'system' | 'developer';
  readonly content: string | readonly ContentPart[];
}

/** A message of the user. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: string | readonly ContentPart[];
}

/** The model's answer: thoughts, content, calls. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string | readonly ContentPart[] | null;
  /** The thoughts, without their markers. */
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ToolCall[];
}

/** The result of a call. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly content: string | readonly ContentPart[];
  readonly tool_call_id?: string;
  readonly name?: string;
}

/** A message of a conversation, in the shape of OpenAI's chat completions. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;
