/**
 * The TypeScript type of the values of a schema: of a JSON Schema given `as const`, or of an object of a library that
 * implements Standard Schema. Types only.
 */
import type { JsonObject, JsonValue } from '../format/messages.ts';

/** The types in objects of validation libraries. */
interface StandardTyped<Input, Output> {
  readonly '~standard': {
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/**
 * The values that a schema allows, as far as TypeScript can express it. Keywords that only narrow a value (`pattern`,
 * `minimum`) are ignored; what cannot be read (`$ref`, `allOf`, a schema that is not `as const`) is any JSON value.
 */
export type SchemaValue<Schema> =
  Schema extends StandardTyped<infer Input, unknown> ? AsJson<Input> : JsonSchemaValue<Schema>;

/**
 * A library's type as JSON: an absent property is not `undefined`, and an unknown value is any JSON value. So the
 * arguments of every tool are also a `JsonObject`.
 */
type AsJson<Value> = unknown extends Value
  ? JsonValue
  : Value extends object
    ? { [Key in keyof Value]: AsJson<Exclude<Value[Key], undefined>> }
    : Value;

/** The parsed value of a schema: the output of a library's schema; for JSON Schema, the value itself. */
export type ParsedValue<Schema> =
  Schema extends StandardTyped<unknown, infer Output> ? Output : JsonSchemaValue<Schema>;

type JsonSchemaValue<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly anyOf: readonly (infer Each)[] }
      ? JsonSchemaValue<Each>
      : Schema extends { readonly oneOf: readonly (infer Each)[] }
        ? JsonSchemaValue<Each>
        : Schema extends { readonly type: readonly (infer Type)[] }
          ? OfType<Type, Schema>
          : Schema extends { readonly type: infer Type }
            ? OfType<Type, Schema>
            : JsonValue;

/** Values of one JSON type; a union of types gives a union of values. */
type OfType<Type, Schema> = string extends Type
  ? JsonValue
  : Type extends 'string'
    ? string
    : Type extends 'number' | 'integer'
      ? number
      : Type extends 'boolean'
        ? boolean
        : Type extends 'null'
          ? null
          : Type extends 'array'
            ? ArrayValue<Schema>
            : Type extends 'object'
              ? ObjectValue<Schema>
              : JsonValue;

type ArrayValue<Schema> = Schema extends { readonly prefixItems: unknown }
  ? readonly JsonValue[]
  : Schema extends { readonly items: infer Item }
    ? readonly JsonSchemaValue<Item>[]
    : readonly JsonValue[];

type ObjectValue<Schema> = Schema extends { readonly properties: infer Properties }
  ? Flat<
      { readonly [Key in RequiredKeys<Schema> & keyof Properties]: JsonSchemaValue<Properties[Key]> } & {
        readonly [Key in Exclude<keyof Properties, RequiredKeys<Schema>>]?: JsonSchemaValue<Properties[Key]>;
      }
    >
  : JsonObject;

/** Names in `required`; none if the compiler does not know them. */
type RequiredKeys<Schema> = Schema extends { readonly required: readonly (infer Key)[] }
  ? string extends Key
    ? never
    : Key
  : never;

/** An intersection as one object type, so that editors show its properties. */
type Flat<Type> = { [Key in keyof Type]: Type[Key] };
