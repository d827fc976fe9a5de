/**
 * What the models of the templates in `more-templates/` write: the call `get_weather(city: "Oslo", days: 2)`, and
 * the thoughts `Hm.` before the answer `Yes.`. Written down from the templates' texts and the models' own pages.
 */

/** What one model writes. */
export interface TemplateDescription {
  /** The call; absent where the template has none. */
  readonly call?: string;
  /** Thoughts and answer; absent where the template has no thoughts. */
  readonly thoughts?: string;
  /** A switch asks for thoughts: they follow the prompt that it gives, and calls and answers the other. */
  readonly thinking?: true;
}

const json = '{"city": "Oslo", "days": 2}';
const named = `{"name": "get_weather", "arguments": ${json}}`;
const parameters = `{"name": "get_weather", "parameters": ${json}}`;
const textOnly: TemplateDescription = {};
const pythonic: TemplateDescription = { call: "[get_weather(city='Oslo', days=2)]<|eot_id|>" };
const fencedCall =
  '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n' +
  `${json}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>`;
const channels: TemplateDescription = {
  call: '<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>,days:2}<tool_call|>',
  thoughts: '<|channel>thought\nHm.\n<channel|>Yes.<turn|>',
};
const taggedParameters =
  '<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=days>\n2\n</parameter>\n' +
  '</function>\n</tool_call><|im_end|>';

/** By file name. */
export const descriptions: Readonly<Record<string, TemplateDescription>> = {
  '004-mistral.rs-deepseek_tool_call.jinja': { call: fencedCall },
  '006-mistral.rs-mistral_nemo_tool_call.jinja': {
    call: `[TOOL_CALLS][{"name": "get_weather", "arguments": ${json}, "id": "abcDEF123"}]</s>`,
  },
  '008-mistral.rs-smollm3.jinja': {
    call: `<tool_call>\n${named}\n</tool_call><|im_end|>`,
    thoughts: '<think>\nHm.\n</think>\nYes.<|im_end|>',
  },
  '019-vllm-template_alpaca.jinja': textOnly,
  '020-vllm-template_baichuan.jinja': textOnly,
  '021-vllm-template_blip2.jinja': textOnly,
  '022-vllm-template_chatglm.jinja': textOnly,
  '023-vllm-template_chatglm2.jinja': textOnly,
  '024-vllm-template_chatml.jinja': textOnly,
  '027-vllm-template_inkbot.jinja': textOnly,
  '038-test_llama.cpp-GigaChat3.5.jinja': {
    call:
      '<｜GCML｜tool_calls>\n<｜GCML｜invoke name="get_weather">\n<｜GCML｜parameter name="city" string="true">Oslo' +
      '</｜GCML｜parameter>\n<｜GCML｜parameter name="days" string="false">2</｜GCML｜parameter>\n</｜GCML｜invoke>\n' +
      '</｜GCML｜tool_calls>',
    thoughts: '<think>Hm.</think>\n\nYes.</s>',
  },
  '042-vllm-tool_chat_template_deepseekv31.jinja': {
    call:
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>' +
      `${json}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>`,
    thoughts: 'Hm.</think>Yes.<｜end▁of▁sentence｜>',
    thinking: true,
  },
  '044-vllm-tool_chat_template_gemma3_pythonic.jinja': {
    call: '[get_weather(city="Oslo", days=2)]<end_of_turn>',
  },
  '045-vllm-tool_chat_template_glm4.jinja': {
    call:
      '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n' +
      '<arg_key>days</arg_key>\n<arg_value>2</arg_value>\n</tool_call>',
  },
  '046-vllm-tool_chat_template_granite.jinja': { call: `<|tool_call|>[${named}]<|end_of_text|>` },
  '047-vllm-tool_chat_template_granite_20b_fc.jinja': { call: `<function_call> ${named}<|endoftext|>` },
  '050-vllm-tool_chat_template_internlm2_tool.jinja': {
    call: `<|action_start|><|plugin|>\n${named}<|action_end|><|im_end|>`,
  },
  '052-vllm-tool_chat_template_llama3.2_json.jinja': { call: `${parameters}<|eot_id|>` },
  '054-vllm-tool_chat_template_llama4_json.jinja': { call: `${parameters}<|eot|>` },
  '055-vllm-tool_chat_template_llama4_pythonic.jinja': {
    call: "[get_weather(city='Oslo', days=2)]<|eot|>",
  },
  '057-vllm-tool_chat_template_mistral3.jinja': {
    call: `[TOOL_CALLS] [{"name": "get_weather", "arguments": ${json}, "id": "abcDEF123"}]</s>`,
  },
  '058-vllm-tool_chat_template_mistral_parallel.jinja': {
    call: `[TOOL_CALLS] [{"name": "get_weather", "arguments": ${json}, "id": "abcDEF123"}]</s>`,
  },
  '060-vllm-tool_chat_template_qwen3coder.jinja': { call: taggedParameters },
  '061-vllm-tool_chat_template_toolace.jinja': pythonic,
  '062-vllm-tool_chat_template_xlam_llama.jinja': { call: `[${named}]<|eot_id|>` },
  '066-vllm-template_deepseek_ocr.jinja': textOnly,
  '067-vllm-template_deepseek_vl2.jinja': textOnly,
  '068-vllm-template_fuyu.jinja': textOnly,
  '071-vllm-template_deepseek_vl2.jinja': textOnly,
  '074-vllm-tool_chat_template_apertus.jinja': {
    call: `<|tools_prefix|>[{"get_weather": ${json}}]<|tools_suffix|><|assistant_end|>`,
    thoughts: '<|inner_prefix|>Hm.<|inner_suffix|>Yes.<|assistant_end|>',
  },
  '075-vllm-tool_chat_template_deepseekr1.jinja': {
    call: fencedCall,
    thoughts: '<think>\nHm.\n</think>\n\nYes.<｜end▁of▁sentence｜>',
  },
  '084-vllm-tool_chat_template_llama3.2_pythonic.jinja': pythonic,
  '092-vllm-tool_chat_template_gemma4.jinja': { ...channels, thinking: true },
  '094-vllm-template_minicpmv45.jinja': {
    call: `<tool_call>\n${named}\n</tool_call><|im_end|>`,
    thoughts: 'Hm.\n</think>\n\nYes.<|im_end|>',
    thinking: true,
  },
  '172-vllm-tool_chat_template_gemma4.jinja': { ...channels, thinking: true },
  '179-ollama-gemma4_chat_template.jinja': channels,
  '181-ollama-gemma4_e2b_chat_template.jinja': channels,
  '182-ollama-gemma4_e2b_chat_template.jinja': channels,
  '185-ollama-nemotron3nano_chat_template.jinja': {
    call: taggedParameters,
    thoughts: 'Hm.\n</think>\nYes.<|im_end|>',
    thinking: true,
  },
  '191-llama.cpp-meetkai-functionary-medium-v3.1.jinja': {
    call: `<function=get_weather>${json}</function><|eom_id|>`,
  },
  '900-vllm-tool_chat_template_olmo3.jinja': {
    call: "<function_calls>\nget_weather(city='Oslo', days=2)\n</function_calls><|im_end|>",
  },
  '901-vllm-tool_chat_template_hyperclovax_seed_think_14b.jinja': {
    call: ` -> tool/function_call\n[${named}]<|im_end|><|stop|>`,
    thoughts: '/think\nHm.<|im_end|>\n<|im_start|>assistant\nYes.<|im_end|><|endofturn|>',
  },
  '904-vllm-tool_chat_template_deepseekv3.jinja': { call: fencedCall },
};
