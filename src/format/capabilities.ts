/** What a template can do. */

/** What the template accepts and really reads, observed by rendering sample conversations. */
export interface Capabilities {
  /** Whether it reads the tools' names, so it can describe tools to the model. */
  readonly supportsTools: boolean;
  /** Whether it renders the calls of an assistant message. */
  readonly supportsToolCalls: boolean;
  readonly supportsSystemRole: boolean;
  /** Whether it renders the second call of a message. */
  readonly supportsParallelToolCalls: boolean;
  /** Whether it renders the reasoning of earlier messages. */
  readonly supportsPreserveReasoning: boolean;
  readonly supportsReasoningEffort: boolean;
  /** `content: "text"` is rendered. */
  readonly supportsStringContent: boolean;
  /** `content: [{type: "text", text: "text"}]` is rendered. */
  readonly supportsTypedContent: boolean;
  /** `arguments` may be an object rather than JSON text. */
  readonly supportsObjectArguments: boolean;
}
