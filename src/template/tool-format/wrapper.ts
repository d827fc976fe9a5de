/**
 * What stands between a tool format and the model's own template: messages in, messages out.
 *
 * The own template then sees no tools, calls or results, only texts, in roles that every template renders. Three facts
 * about it come first: `own_template.system_role`, whether it renders a system message, `own_template.system_parts`,
 * whether it reads one only as a list of parts (some read the first part alone), and `own_template.system_message`, the
 * one that it writes if there is none.
 */
export const wrapper = `{%- set tool_format = namespace(given=messages, messages=[], results=[], before='', tools='') %}
{%- if tools %}
  {%- set tool_format.tools = describe_tools(tools) %}
  {%- if not messages or messages[0].role != 'system' %}
    {%- set tool_format.given = [{'role': 'system', 'content': own_template.system_message}] + messages %}
  {%- endif %}
{%- endif %}
{%- for message in tool_format.given %}
  {%- set next_role = '' if loop.last else tool_format.given[loop.index].role %}
  {%- set content = '' if message.content is none or message.content is undefined else message.content %}
  {%- set before, after, held = '', '', false %}
  {%- if message.role == 'tool' %}
    {%- set content = content if content is string else content | map(attribute='text') | join %}
    {%- set tool_format.results = tool_format.results + [dict(message, content=content)] %}
    {%- if next_role != 'tool' %}
      {%- set tool_format.before = write_results(tool_format.results) %}
      {%- set tool_format.results = [] %}
    {%- endif %}
    {%- set held = true %}
  {%- elif message.role == 'system' and tool_format.tools %}
    {%- set after = ('\\n\\n' if content else '') ~ tool_format.tools %}
    {%- set tool_format.tools = '' %}
    {%- if not own_template.system_role %}
      {%- set tool_format.before = (content if content is string else content | map(attribute='text') | join) ~ after %}
      {%- set held = true %}
    {%- endif %}
  {%- elif message.role == 'user' and tool_format.before %}
    {%- set before = tool_format.before ~ '\\n\\n' %}
    {%- set tool_format.before = '' %}
  {%- elif message.role == 'assistant' and message.tool_calls %}
    {%- set after = ('\\n' if content else '') ~ write_calls(message.tool_calls) %}
  {%- endif %}
  {%- if held and next_role not in ['tool', 'user'] %}
    {%- set tool_format.messages = tool_format.messages + [{'role': 'user', 'content': tool_format.before}] %}
    {%- set tool_format.before = '' %}
  {%- elif not held and not before and not after %}
    {%- set tool_format.messages = tool_format.messages + [message] %}
  {%- elif not held %}
    {%- if message.role == 'system' and (own_template.system_parts or content is not string) %}
      {%- set content = content if content is string else content | map(attribute='text') | join %}
      {%- set content = [{'type': 'text', 'text': content ~ after}] %}
    {%- elif content is string %}
      {%- set content = before ~ content ~ after %}
    {%- else %}
      {%- set first = [{'type': 'text', 'text': before}] if before else [] %}
      {%- set last = [{'type': 'text', 'text': after}] if after else [] %}
      {%- set content = first + content + last %}
    {%- endif %}
    {%- set others = message.items() | rejectattr(0, 'eq', 'tool_calls') %}
    {%- set tool_format.messages = tool_format.messages + [dict(others, content=content)] %}
  {%- endif %}
{%- endfor %}
{%- set messages = tool_format.messages %}
{%- if tools %}
  {%- set tools = none %}
{%- endif %}
`;
