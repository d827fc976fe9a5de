/**
 * Tool formats: how tools are described to a model, and how it writes calls, where its chat template says neither, or
 * the model does not keep to it.
 *
 * A tool format is Jinja with three macros, and is applied by wrapping the model's chat template: the result is one
 * template, which is analysed, verified and generated from like any other. Nothing else knows that it was wrapped.
 */

/** A tool format that is part of the package. */
export interface ToolFormat {
  /** Its name as an option. */
  readonly name: string;
  /** For which models it is, and why it is as it is. */
  readonly reason: string;
  /**
   * Jinja that defines three macros, whose texts become parts of messages: `describe_tools(tools)`, added to the system
   * message; `write_calls(calls)`, the end of an assistant's message, with arguments as objects; `write_results(results)`,
   * a user's message, for consecutive messages of the role `tool`, whose content is text.
   */
  readonly source: string;
}

/** The macros that a tool format defines. */
export const toolFormatMacros = ['describe_tools', 'write_calls', 'write_results'] as const;
