/** What messages, tools and choices of requests look like in each API. Their readers check the inside. */
import { grammarRules } from '../../grammar/grammar-rules.ts';
import { type FieldRule, listRule, orNull, readRule } from './field-table.ts';

const text = { type: 'string' };
const object = { type: 'object' };
const parts = { type: 'array', items: { anyOf: [text, { ...object, required: ['type'] }] } };
/** Text, or a list of parts: texts, pictures, documents. */
const content = { anyOf: [text, parts] };

const schema = { type: ['object', 'boolean'], description: 'a JSON Schema' };
/** A JSON Schema. */
export const jsonSchemaRule: FieldRule = readRule(schema);

const argumentsOfCall = { anyOf: [text, object] };
const functionCall = {
  ...object,
  properties: {
    id: orNull(text),
    function: { ...object, properties: { name: text, arguments: argumentsOfCall }, required: ['name'] },
  },
  required: ['function'],
};

/** Messages of Chat Completions. */
export const chatMessages: FieldRule = messagesRule({
  role: { enum: ['system', 'developer', 'user', 'assistant', 'tool'] },
  content: orNull({ anyOf: [...content.anyOf, object] }),
  tool_calls: orNull({ type: 'array', items: functionCall }),
  tool_call_id: orNull(text),
  reasoning_content: orNull(text),
});

/** Messages of Ollama, whose calls and results need no ids. */
export const ollamaMessages: FieldRule = messagesRule({
  role: { enum: ['system', 'user', 'assistant', 'tool'] },
  content: orNull(content),
  images: orNull({ type: 'array', items: text }),
  thinking: orNull(text),
  tool_calls: orNull({ type: 'array', items: functionCall }),
  tool_name: orNull(text),
});

/** Messages of Anthropic's API. */
export const blockMessages: FieldRule = messagesRule(
  { role: { enum: ['system', 'user', 'assistant'] }, content: { anyOf: [text, blocksOf()] } },
  ['role', 'content'],
);

/** Its instructions. */
export const textOrBlocks: FieldRule = readRule({ anyOf: [text, blocksOf()] });

/** Items of Responses, or a text. */
export const inputItems: FieldRule = readRule({
  anyOf: [
    text,
    { type: 'array', items: { ...object, properties: { type: text, content: orNull(content) } } },
  ],
});

const calledFunction = {
  ...object,
  properties: { name: text, description: orNull(text), parameters: orNull(schema), strict: {} },
  required: ['name'],
};

/** Functions, as Chat Completions and Ollama have them. */
export const functionTools: FieldRule = listRule({
  ...object,
  properties: { type: text, function: calledFunction },
});

/** Tools of Anthropic's API. */
export const ownTools: FieldRule = listRule({
  ...object,
  properties: { type: orNull(text), name: text, description: orNull(text), input_schema: orNull(schema) },
});

/** Tools of Responses: functions, tools with free text, and namespaces of both. */
export const clientTools: FieldRule = listRule({
  ...object,
  properties: { type: text, name: text, description: orNull(text), parameters: orNull(schema) },
  required: ['type'],
});

const choices = { enum: ['auto', 'required', 'none'] };
const named = { ...object, properties: { name: text }, required: ['name'] };
const chosenFunction = {
  ...object,
  properties: { type: { const: 'function' }, function: named },
  required: ['type', 'function'],
};

/** The choice in Chat Completions. */
export const openAiChoice: FieldRule = {
  ...grammarRules.toolChoice,
  schema: {
    anyOf: [
      choices,
      chosenFunction,
      {
        ...object,
        properties: {
          type: { const: 'allowed_tools' },
          allowed_tools: {
            ...object,
            properties: {
              mode: { enum: ['auto', 'required'] },
              tools: {
                type: 'array',
                items: { ...object, properties: { function: named }, required: ['function'] },
              },
            },
            required: ['mode', 'tools'],
          },
        },
        required: ['type', 'allowed_tools'],
      },
    ],
  },
};

/** The choice in Responses, with names next to their types. */
export const responsesChoice: FieldRule = readRule({
  anyOf: [
    choices,
    { ...named, properties: { type: { enum: ['function', 'custom'] }, name: text } },
    {
      ...object,
      properties: {
        type: { const: 'allowed_tools' },
        mode: { enum: ['auto', 'required'] },
        tools: { type: 'array', items: named },
      },
      required: ['type', 'mode', 'tools'],
    },
  ],
});

function messagesRule(properties: Readonly<Record<string, object>>, required = ['role']): FieldRule {
  return listRule({ ...object, properties, required });
}

function blocksOf(): object {
  return { type: 'array', items: { ...object, properties: { type: text }, required: ['type'] } };
}
