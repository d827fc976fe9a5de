/**
 * Tool formats: how tools are described to a model, and how it writes calls, where its chat template says neither, or
 * the model does not keep to it.
 *
 * A tool format is Jinja with three macros, and is applied by wrapping the model's chat template: the result is one
 * template, which is analysed, verified and generated from like any other. Nothing else knows that it was wrapped.
 */
import type { toolFormatNames } from './tool-format-option.ts';

/** A tool format that is part of the package. */
export interface ToolFormat {
  /** Its name as an option. */
  readonly name: (typeof toolFormatNames)[number];
  /** For which models it is, and why it is as it is. */
  readonly reason: string;
  /**
   * Jinja that defines three macros, whose texts become parts of messages: `describe_tools(tools)`, added to the system
   * message; `write_calls(calls)`, the end of an assistant's message, with arguments as objects; `write_results(results)`,
   * a user's message, for consecutive messages of the role `tool`, whose content is text.
   */
  readonly source: string;
}

/** How both formats describe tools. */
const toolsInPrompt = `{%- macro describe_tools(tools) -%}
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{% for tool in tools %}
{{ tool | tojson }}
{% endfor %}
</tools>

To call functions, answer with only `;

/** How both formats show results. */
const resultsInTags = `{%- macro write_results(results) %}
{% for result in results %}
<tool_response>
{{ result.content }}
</tool_response>{{ '\\n' if not loop.last }}
{%- endfor %}
{%- endmacro %}
`;

/** All calls as one JSON list. */
export const jsonList: ToolFormat = {
  name: 'json-list',
  reason:
    'Small models write JSON by themselves, whatever markers their template shows. Asked for one list of all calls, they also write the second one, instead of ending their turn after the first.',
  source: `${toolsInPrompt}a json list of all the calls that the request needs, on one line, without a code block:
[{"name": <function-name>, "arguments": <args-json-object>}, {"name": <function-name>, "arguments": <args-json-object>}]
{%- endmacro %}
{%- macro write_calls(calls) -%}
[
{%- for call in calls %}
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}{{ ', ' if not loop.last }}
{%- endfor %}
]
{%- endmacro %}
${resultsInTags}`,
};

/** Calls in tags, with texts as they are. */
export const tagged: ToolFormat = {
  name: 'tagged',
  reason:
    'Code in an argument is written as it is: nothing in it is escaped, so a model need not write JSON around quotes and line breaks, where small ones lose count of the backslashes.',
  source: `${toolsInPrompt}the calls that the request needs, one after another, in this form, with one parameter for each argument and nothing escaped:
<function=example_function_name>
<parameter=example_parameter_1>
value_1
</parameter>
<parameter=example_parameter_2>
This is the value for the second parameter
that can span
multiple lines
</parameter>
</function>
{%- endmacro %}
{%- macro write_calls(calls) %}
{% for call in calls %}
<function={{ call.function.name }}>
{% for name, value in call.function.arguments.items() %}
<parameter={{ name }}>
{{ value if value is string else value | tojson }}
</parameter>
{% endfor %}
</function>{{ '\\n' if not loop.last }}
{%- endfor %}
{%- endmacro %}
${resultsInTags}`,
};
