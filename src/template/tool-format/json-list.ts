import type { ToolFormat } from './tool-format.ts';

/** All calls as one JSON list. */
export const jsonList: ToolFormat = {
  name: 'json-list',
  reason:
    'Small models write JSON by themselves, whatever markers their template shows. Asked for one list of all calls, they also write the second one, instead of ending their turn after the first.',
  source: `{%- macro describe_tools(tools) -%}
# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{% for tool in tools %}
{{ tool | tojson }}
{% endfor %}
</tools>

To call functions, answer with only a json list of all the calls that the request needs, on one line, without a code block:
[{"name": <function-name>, "arguments": <args-json-object>}, {"name": <function-name>, "arguments": <args-json-object>}]
{%- endmacro %}
{%- macro write_calls(calls) -%}
[
{%- for call in calls %}
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}{{ ', ' if not loop.last }}
{%- endfor %}
]
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
