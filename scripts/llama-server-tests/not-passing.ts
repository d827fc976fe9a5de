/** Which of llama.cpp's server tests are tried, and why some of them do not pass. */

/** Files of `unit/` with tests of shapes, errors and access. The others are about what only llama-server has. */
export const filesTried = [
  'test_basic',
  'test_security',
  'test_chat_completion',
  'test_compat_anthropic',
  'test_compat_oai_responses',
  'test_template',
] as const;

const chat = 'test_chat_completion.py::test_';
const security = 'test_security.py::test_';
const anthropic = 'test_compat_anthropic.py::test_anthropic_';

/** Reasons, and the tests that they are for: with their parameters, or without them all of a name. */
const reasons: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'needs the trained weights of a story teller, whose words it compares',
    [`${chat}chat_completion`, `${chat}chat_completion_cached_tokens`, `${chat}chat_completion_stream`],
  ],
  [
    'needs weights from the network',
    ['test_basic.py::test_load_split_model', `${anthropic}vision_base64_with_multimodal_model`],
  ],
  [
    'needs the package openai for Python; its package for JavaScript is a judge of our own tests',
    [
      `${security}openai_library_correct_api_key`,
      `${chat}chat_completion_with_openai_library`,
      `${chat}logprobs`,
      `${chat}logprobs_stream`,
      'test_compat_oai_responses.py::test_responses_with_openai_library',
      'test_compat_oai_responses.py::test_responses_stream_with_openai_library',
    ],
  ],
  ['wants a server at several addresses', ['test_basic.py::test_server_multiple_addresses']],
  [
    'asks for an address of llama-server alone: /props, /slots, /tokenize, /cors-proxy, files of its own page',
    [
      'test_basic.py::test_server_props',
      'test_basic.py::test_server_slots',
      `${chat}logit_bias`,
      `${security}cors_proxy_only_forwards_explicit_proxy_headers`,
      `${security}access_static_assets_without_api_key`,
    ],
  ],
  [
    'asks for fields of llama-server alone: aliases, __verbose, timings, progress',
    [
      'test_basic.py::test_server_model_aliases_and_tags',
      `${chat}chat_template`,
      `${chat}chat_template_assistant_prefill[prefill1-Wh\\n\\nill]`,
      `${chat}chat_completion_with_timings_per_token`,
      `${chat}return_progress`,
      'test_compat_oai_responses.py::test_responses_stream_with_llama_telemetry',
    ],
  ],
  ['wants a template by the name that llama.cpp has for it', [`${chat}apply_chat_template`]],
  [
    'sends a grammar of its own, which is refused: it would not be the format',
    [`${chat}completion_with_grammar`],
  ],
  ['wants several choices, which are refused', [`${chat}chat_completions_multiple_choices`]],
  [
    "wants another type of the error; here it is OpenAI's, with the code context_length_exceeded",
    [`${chat}context_size_exceeded`, `${chat}context_size_exceeded_stream`],
  ],
  [
    'wants two answers in a row refused; templates can write them',
    [`${chat}invalid_chat_completion_req[messages7]`],
  ],
  [
    'wants 500 for an image; here the model is told that there is one',
    [`${anthropic}tool_result_with_image`, `${anthropic}vision_format_accepted`],
  ],
  [
    'wants an image read',
    [
      `${security}local_media_file[../../../tools-file://mtmd/test-1.jpeg-True]`,
      `${security}local_media_file[../../../tools-file:////mtmd//test-1.jpeg-True]`,
    ],
  ],
  ['wants a conversation without a message answered; it is refused', [`${anthropic}empty_messages`]],
  ['wants nothing at /; clients of Ollama look there for the server', ['test_basic.py::test_no_ui']],
  [
    'wants pages of every origin let in unless something else is said; here it is none',
    [`${security}cors_options`, `${security}cors_origins_defaults_to_localhost_with_tools_enabled`],
  ],
  [
    'takes names of headers for different where their capitals differ; HTTP does not',
    [`${security}cors_origins_localhost_reflects`],
  ],
  [
    'wants today in prompts whose templates, as at Hugging Face, say another date unless a variable gives it',
    ['test_template.py::test_date_inside_prompt'],
  ],
]);

/** Why a test does not pass; `null` where it has to. */
export function reasonFor(test: string): string | null {
  for (const [reason, tests] of reasons)
    if (tests.includes(test) || tests.includes(test.replace(/\[.*/s, ''))) return reason;
  return null;
}
