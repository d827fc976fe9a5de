/** The chat templates of the toy model's three formats. */

/** A format of the toy model. */
export type ToyFormat = 'json' | 'tags' | 'channels';

/** Thoughts in tags, and calls in tags as `call` writes one; `howTo` says so to the model. */
const inTags = (howTo: string, call: string): string => String.raw`
{%- if tools or messages[0].role == 'system' %}
    {{- '<|im_start|>system\n' }}
    {%- if messages[0].role == 'system' %}
        {{- messages[0].content + '\n' }}
    {%- endif %}
    {%- if tools %}
        {{- 'Tools:\n<tools>\n' }}
        {%- for tool in tools %}
            {{- tool.function | tojson + '\n' }}
        {%- endfor %}
        {{- '</tools>\n${howTo}' }}
    {%- endif %}
    {{- '<|im_end|>\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'assistant' %}
        {{- '<|im_start|>assistant\n<think>\n' + (message.reasoning_content or '') + '\n</think>\n\n' }}
        {{- message.content or '' }}
        {%- for call in message.tool_calls or [] %}
            {{- '\n' if message.content or not loop.first }}
${call}        {%- endfor %}
        {{- '<|im_end|>\n' }}
    {%- elif not (loop.first and message.role == 'system') %}
        {{- '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
    {%- if enable_thinking is defined and not enable_thinking %}
        {{- '<think>\n\n</think>\n\n' }}
    {%- endif %}
{%- endif %}
`;

/** Thoughts and calls in tags, the calls as JSON. */
const json = inTags(
  'Call a tool as JSON with its name and arguments.',
  String.raw`            {{- '<tool_call>\n{"name": "' + call.function.name + '", "arguments": ' }}
            {{- call.function.arguments | tojson + '}\n</tool_call>' }}
`,
);

/** Thoughts in tags, and calls with a tag for every argument. */
const tags = inTags(
  'Call a tool in tags: function, parameter.',
  String.raw`            {{- '<tool_call>\n<function=' + call.function.name + '>\n' }}
            {%- for name, value in call.function.arguments | items %}
                {{- '<parameter=' + name + '>\n' }}
                {{- value if value is string else value | tojson }}
                {{- '\n</parameter>\n' }}
            {%- endfor %}
            {{- '</function>\n</tool_call>' }}
`,
);

/** Thoughts, calls and answers in channels; one call a turn. */
const channels = String.raw`
{%- if messages[0].role == 'system' %}
    {{- '<|start|>system<|message|>' + messages[0].content + '<|end|>' }}
{%- endif %}
{%- if tools %}
    {{- '<|start|>developer<|message|>Tools:\n<tools>\n' }}
    {%- for tool in tools %}
        {{- tool.function | tojson + '\n' }}
    {%- endfor %}
    {{- '</tools>\nCall a tool in the channel commentary.<|end|>' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'assistant' %}
        {%- if message.reasoning_content %}
            {{- '<|start|>assistant<|channel|>analysis<|message|>' + message.reasoning_content + '<|end|>' }}
        {%- endif %}
        {%- if message.tool_calls %}
            {%- if message.content %}
                {{- '<|start|>assistant<|channel|>commentary<|message|>' + message.content + '<|end|>' }}
            {%- endif %}
            {%- set call = message.tool_calls[0].function %}
            {{- '<|start|>assistant<|channel|>commentary to=functions.' + call.name }}
            {{- ' <|constrain|>json<|message|>' + (call.arguments | tojson) + '<|call|>' }}
        {%- elif loop.last and not add_generation_prompt %}
            {{- '<|start|>assistant<|channel|>final<|message|>' + message.content + '<|return|>' }}
        {%- else %}
            {{- '<|start|>assistant<|channel|>final<|message|>' + message.content + '<|end|>' }}
        {%- endif %}
    {%- elif message.role == 'tool' %}
        {{- '<|start|>tool to=assistant<|channel|>commentary<|message|>' + message.content + '<|end|>' }}
    {%- elif not (loop.first and message.role == 'system') %}
        {{- '<|start|>' + message.role + '<|message|>' + message.content + '<|end|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start|>assistant' }}
{%- endif %}
`;

/** Jinja sources by format. */
export const toyTemplates: Readonly<Record<ToyFormat, string>> = {
  json: json.trimStart(),
  tags: tags.trimStart(),
  channels: channels.trimStart(),
};
