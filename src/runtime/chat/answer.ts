/** Answers as JSON: the finished answer, and partial ones while it is written. */
import { AnswerError } from '../../format/errors.ts';
import { parseJson } from '../../format/json-values.ts';
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import type { ResponseEvent, ResponseMessage } from '../../parser/events.ts';
import { partialValue } from '../../parser/json/partial-json.ts';
import type { ParsedValue, SchemaValue } from '../../tools/schema-value.ts';
import { isValidating, validationProblems } from '../../tools/validating-schema.ts';

/** The type of the answer to a response format. */
export type AnswerOf<Format> = Format extends { readonly json_schema: { readonly schema: infer Schema } }
  ? ParsedValue<Schema>
  : Format extends { readonly type: 'json_object' }
    ? JsonObject
    : JsonValue;

/** What the model writes for a response format, before the schema's library parses it. */
export type WrittenAnswer<Format> = Format extends {
  readonly json_schema: { readonly schema: infer Schema };
}
  ? SchemaValue<Schema>
  : AnswerOf<Format>;

/** A partial answer: any part may be missing, and a text may be the beginning of one, also of an enum's. */
export type PartialAnswer<Value> = Value extends string
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly PartialAnswer<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]?: PartialAnswer<Value[Key]> }
      : Value;

/** The finished answer, validated by the schema's library if it has one. Throws `AnswerError`. */
export async function readAnswer<Format extends ResponseFormat>(
  { content, tool_calls: calls = [], malformed = [] }: ResponseMessage,
  format: Format | undefined,
): Promise<AnswerOf<Format>> {
  const text = content ?? '';
  requireJson(format, text);
  if (text === '' && calls.length > 0) {
    throw new AnswerError({ text, reason: 'the model called a tool instead' });
  }
  const broken = malformed.at(-1);
  if (text === '' && broken !== undefined) throw new AnswerError({ text: broken.raw, reason: broken.reason });
  const value = parse(text);
  const schema: unknown = format.type === 'json_schema' ? format.json_schema.schema : null;
  if (!isValidating(schema)) return value as AnswerOf<Format>;
  const verdict = await schema['~standard'].validate(value);
  if (verdict.issues === undefined) return verdict.value as AnswerOf<Format>;
  throw new AnswerError({ text, reason: validationProblems(verdict.issues).join('; ') });
}

function requireJson(
  format: ResponseFormat | undefined,
  text: string,
): asserts format is Exclude<ResponseFormat, { readonly type: 'text' }> {
  if (format === undefined || format.type === 'text') {
    throw new AnswerError({ text, reason: 'no JSON was requested: pass a `responseFormat`' });
  }
}

function parse(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    // What `JSON.parse` says quotes the text, and causes are printed.
    const reason =
      text === ''
        ? 'the response ended before it began; allow it more maxTokens, or less thinking (thinkingBudget)'
        : 'it broke off (allow it more maxTokens, or the model a larger contextSize), or is not JSON';
    throw new AnswerError({ text, reason });
  }
}

/**
 * The answer as its text grows, of any type; a number or a word comes at the end. If the text is no JSON, only `object`
 * reports that. Throws `AnswerError` if no JSON was requested.
 */
export async function* partialAnswers<Value>(
  events: AsyncIterable<ResponseEvent>,
  format: ResponseFormat | undefined,
): AsyncGenerator<PartialAnswer<Value>, void> {
  requireJson(format, '');
  let text = '';
  let last: string | undefined;
  for await (const event of events) {
    if (event.type !== 'text-delta') continue;
    text += event.delta;
    const known = partialValue(text);
    const shown = JSON.stringify(known);
    if (known !== undefined && shown !== last) yield known as PartialAnswer<Value>;
    last = shown ?? last;
  }
  const answer = parseJson(text);
  if (answer !== undefined && JSON.stringify(answer) !== last) yield answer as PartialAnswer<Value>;
}
