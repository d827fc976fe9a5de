/** The queries of response schemas: the part of JMESPath that shapes a parsed call. */
import { ResponseTemplateError } from '../format/errors.ts';
import { isObject } from '../format/json-values.ts';
import type { JsonValue } from '../format/messages.ts';
import { objectFrom } from './transform.ts';

const token = /\s*(\[\*?\]\.|'[^']*'|[\w-]+(?:\.[\w-]+)*|[@{}:,])/y;
const maxLevels = 20;

/**
 * The value of a query such as `{type: 'function', function: @}` or `[*].{name: tool_name}` on `value`.
 *
 * @throws {ResponseTemplateError} for anything else.
 */
export function query(source: string, value: JsonValue, pointer: string): JsonValue {
  const run = new QueryReader(source, pointer);
  const read = run.expression(0);
  if (run.isAtEnd) return read(value);
  throw run.error();
}

type Query = (value: JsonValue) => JsonValue;

class QueryReader {
  readonly #source: string;
  readonly #pointer: string;
  #at = 0;

  constructor(source: string, pointer: string) {
    this.#source = source;
    this.#pointer = pointer;
  }

  get isAtEnd(): boolean {
    return this.#source.slice(this.#at).trim() === '';
  }

  expression(depth: number): Query {
    const next = depth > maxLevels ? '' : this.#next();
    if (next === '@') return (value) => value;
    if (next === '{') return this.#object(depth);
    if (next.startsWith('[')) {
      const each = this.expression(depth + 1);
      return (value) => (Array.isArray(value) ? value.map((item: JsonValue) => each(item)) : null);
    }
    if (next.startsWith("'")) return () => next.slice(1, -1);
    if (!/^\w/.test(next)) throw this.error();
    return (value) => next.split('.').reduce(member, value);
  }

  #object(depth: number): Query {
    const members: [string, Query][] = [];
    do {
      const name = this.#next();
      if (this.#next() !== ':') throw this.error();
      members.push([name, this.expression(depth + 1)]);
    } while (this.#next() === ',');
    if (this.#source[this.#at - 1] !== '}') throw this.error();
    return (value) => objectFrom(members.map(([name, read]) => [name, read(value)]));
  }

  #next(): string {
    token.lastIndex = this.#at;
    const [all = '', text = ''] = token.exec(this.#source) ?? [];
    this.#at += all.length;
    return text;
  }

  error(): ResponseTemplateError {
    const reason = `the query ${JSON.stringify(this.#source)} is not read here`;
    return new ResponseTemplateError({ pointer: this.#pointer, reason });
  }
}

function member(value: JsonValue, name: string): JsonValue {
  return isObject(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;
}
