/**
 * Examples of calls in the text of a prompt, with placeholders in words of any kind:
 *
 *     <tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>
 *     functools[{"name": [function name], "arguments": [function arguments as JSON]}, ...]
 *     [func_name1(params_name1=params_value1, params_name2=params_value2...), func_name2(params)]
 *     <tool_call>function_name\n<arg_key>parameter_name</arg_key>\n<arg_value>parameter_value</arg_value>\n</tool_call>
 *     <function=example_function_name>{"example_name": "example_value"}</function>
 */

import type { Delimiters } from '../../format/chat-format.ts';
import { type CallExample, type HeadedExample, type PythonExample, sampleWords } from './call-example.ts';
import { findJson } from './json-examples.ts';
import { surroundings } from './surroundings.ts';
import { findTagged } from './tagged-examples.ts';

/** The first example of each kind, in order of appearance. */
export function findCallExamples(prompt: string): readonly CallExample[] {
  const all = [findTagged(prompt), findJson(prompt), findPython(prompt), findHeaded(prompt)];
  const found = all.filter((each) => each !== null);
  return [...found].sort((a, b) => prompt.indexOf(a.text) - prompt.indexOf(b.text));
}

const pythonCall = /(?<![\w.])[A-Za-z_]\w*\(\s*[A-Za-z_]\w*\s*=[^()\n]{0,200}\)/gu;

function findPython(prompt: string): PythonExample | null {
  const all = [...prompt.matchAll(pythonCall)].map((match): PythonExample => {
    const around = surroundings(prompt, match.index, match.index + match[0].length);
    const { open, close, isList } = around;
    const { name, key, value } = sampleWords;
    const call = `${name}(${key}='${value}')`;
    const text = open + (isList ? `[${call}]` : call) + close;
    return {
      kind: 'python',
      ...around,
      // Placeholders without quotes do not say which quotes the model writes.
      sample: { text, name, arguments: { [key]: value }, isWhole: /["']/u.test(around.text) },
    };
  });
  return all.find((each) => each.isList || each.open !== '') ?? null;
}

const marker = String.raw`<[|｜][^<>\n]{1,40}[|｜]>`;
const name = String.raw`(?:[A-Za-z_][\w-]{2,40}|<[\w -]*name[\w -]*>)`;
const json = String.raw`(?:\{[^{}\n]{0,200}\}|<?[\w-]*(?:args|arguments|parameters|json)[\w-]*>?)`;

/**
 * Between special tokens; a word may stand in front of the last of them, a fence around the arguments, and the place of
 * further calls in front of the section's end.
 */
const inTokens = new RegExp(
  String.raw`^((?:${marker})*?)(${marker}(?:[a-z]+${marker})?)(${name})(${marker}|\n\x60{3}json\n)(${json})((?:\n?\x60{3})?${marker})(?:\{+[\w ]+\}+)?((?:${marker})*)$`,
  'mu',
);
const inElement = /(<(\w+)=)([A-Za-z_][\w-]{2,40})(>)(\{[^{}\n]{0,200}\})(<\/\2>)/u;

/**
 * The first call whose name stands in front of JSON arguments, as a prompt shows it:
 *
 *     <function=example_function_name>{"example_name": "example_value"}</function>
 *     <|calls|><|call|>tool_call_name<|sep|>tool_call_arguments<|call_end|><|calls_end|>
 *     <|call|>function<|sep|>FUNCTION_NAME\n```json\n{"param1": "value1"}\n```<|call_end|>
 */
function findHeaded(prompt: string): HeadedExample | null {
  const tokens = inTokens.exec(prompt);
  if (tokens !== null) {
    const [text, first = '', open = '', , nameToArguments = '', , close = '', last = ''] = tokens;
    return headed(text, { open: first, close: last }, { open, close }, nameToArguments);
  }
  const element = inElement.exec(prompt);
  if (element === null) return null;
  const [text, open = '', , , nameToArguments = '', , close = ''] = element;
  return headed(text, { open: '', close: '' }, { open, close }, nameToArguments);
}

function headed(text: string, section: Delimiters, call: Delimiters, nameToArguments: string): HeadedExample {
  const { name: called, key, value } = sampleWords;
  const written = `${call.open}${called}${nameToArguments}{"${key}": "${value}"}${call.close}`;
  const sample = {
    text: section.open + written + section.close,
    name: called,
    arguments: { [key]: value },
    isWhole: true,
  };
  return { kind: 'headed', text, section, call, nameToArguments, sample };
}
