/**
 * Calls whose name stands in front of JSON arguments, as a prompt shows them:
 *
 *     <function=example_function_name>{"example_name": "example_value"}</function>
 *     <|calls|><|call|>tool_call_name<|sep|>tool_call_arguments<|call_end|><|calls_end|>
 *     <|call|>function<|sep|>FUNCTION_NAME\n```json\n{"param1": "value1"}\n```<|call_end|>
 */
import type { Delimiters } from '../../format/chat-format.ts';
import { type HeadedExample, sampleWords } from './call-example.ts';

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

/** The first example of either kind. */
export function findHeaded(prompt: string): HeadedExample | null {
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
