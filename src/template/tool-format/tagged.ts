import type { ToolFormat } from './tool-format.ts';

/** Calls in tags, with texts as they are. */
export const tagged: ToolFormat = {
  name: 'tagged',
  reason:
    'Code in an argument is written as it is: nothing in it is escaped, so a model need not write JSON around quotes and line breaks, where small ones lose count of the backslashes.',
  source: `{%- macro describe_tools(tools) -%}
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{% for tool in tools %}
{{ tool | tojson }}
{% endfor %}
</tools>

To call functions, answer with only the calls that the request needs, one after another, in this form, with one parameter for each argument and nothing escaped:
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
{%- macro write_results(results) %}
{% for result in results %}
<tool_response>
{{ result.content }}
</tool_response>{{ '\\n' if not loop.last }}
{%- endfor %}
{%- endmacro %}
`,
};
