/**
 * Examples of calls in the text of a prompt, with placeholders in words of any kind:
 *
 *     <tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>
 *     functools[{"name": [function name], "arguments": [function arguments as JSON]}, ...]
 *     [func_name1(params_name1=params_value1, params_name2=params_value2...), func_name2(params)]
 *     <tool_call>function_name\n<arg_key>parameter_name</arg_key>\n<arg_value>parameter_value</arg_value>\n</tool_call>
 *     <function=example_function_name>{"example_name": "example_value"}</function>
 */
import { type CallExample, type PythonExample, sampleWords } from './call-example.ts';
import { findHeaded } from './headed-examples.ts';
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
