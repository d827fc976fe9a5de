/** What a client gets of one response, in whatever API. */

/** A response as a client has it at its end. */
export interface Handed {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly HandedCall[];
  readonly finish: string;
  readonly promptTokens: number | undefined;
  readonly completionTokens: number | undefined;
  /** Whether it was told of anything malformed, repaired, or that may be a call. */
  readonly told: boolean;
}

/** A call that a client would execute. */
export interface HandedCall {
  readonly name: string;
  /** JSON text. */
  readonly input: string;
}

/** What one request gave: the response whole and streamed, or the error's code where it was refused. */
export interface Exchange {
  readonly whole: Handed | string;
  readonly streamed: Handed | string;
}

type Json = Readonly<Record<string, unknown>>;

/** A field that holds an object. */
export function objectAt(value: unknown, ...path: readonly (string | number)[]): Json {
  return (valueAt(value, ...path) ?? {}) as Json;
}

/** A field that holds a list. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly Json[] {
  return (valueAt(value, ...path) ?? []) as readonly Json[];
}

/** A field that holds a text; '' if it is absent. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  return String(valueAt(value, ...path) ?? '');
}

/** A field that holds a number. */
export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  return valueAt(value, ...path) as number | undefined;
}

function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Json | null | undefined)?.[key], value);
}
