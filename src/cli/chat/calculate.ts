/** Arithmetic for the example tool of `idiolect chat`: parsed and computed, never evaluated as code. */
import { ToolError } from '../../format/errors.ts';

const maxLength = 1000;
const maxDepth = 100;

/**
 * The value of an expression with numbers, `+ - * / % ^` and parentheses, with the usual precedence; `^` is a power
 * and right-associative. Throws `ToolError` for anything else.
 */
export function calculate(expression: string): number {
  if (expression.length > maxLength) throw refusal(`more than ${maxLength} characters`);
  const reader = new ExpressionReader(expression);
  const value = reader.sum(0);
  reader.expectEnd();
  if (!Number.isFinite(value)) throw refusal('the result is not a number');
  return value;
}

function refusal(reason: string): ToolError {
  return new ToolError({ tool: 'calculate', reason });
}

class ExpressionReader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+|\S/g) ?? [];
  }

  expectEnd(): void {
    const rest = this.#tokens[this.#at];
    if (rest !== undefined) throw refusal(`${JSON.stringify(rest)} is not expected there`);
  }

  sum(depth: number): number {
    let value = this.#product(depth);
    for (let sign = this.#accept('+', '-'); sign !== null; sign = this.#accept('+', '-')) {
      const next = this.#product(depth);
      value = sign === '+' ? value + next : value - next;
    }
    return value;
  }

  #product(depth: number): number {
    let value = this.#signed(depth);
    for (let sign = this.#accept('*', '/', '%'); sign !== null; sign = this.#accept('*', '/', '%')) {
      const next = this.#signed(depth);
      value = sign === '*' ? value * next : sign === '/' ? value / next : value % next;
    }
    return value;
  }

  /** A power binds more tightly than the sign before it: -2^2 is -4. */
  #signed(depth: number): number {
    if (depth > maxDepth) throw refusal('it is nested too deeply');
    const sign = this.#accept('+', '-');
    if (sign !== null) return sign === '-' ? -this.#signed(depth + 1) : this.#signed(depth + 1);
    const base = this.#single(depth);
    return this.#accept('^') === null ? base : base ** this.#signed(depth + 1);
  }

  #single(depth: number): number {
    if (this.#accept('(') !== null) {
      const value = this.sum(depth + 1);
      if (this.#accept(')') === null) throw refusal('a closing parenthesis is missing');
      return value;
    }
    const token = this.#tokens[this.#at];
    if (token === undefined || !/^[\d.]/.test(token) || token === '.') {
      throw refusal(
        `a number is expected ${token === undefined ? 'at the end' : `at ${JSON.stringify(token)}`}`,
      );
    }
    this.#at += 1;
    return Number(token);
  }

  #accept(...signs: readonly string[]): string | null {
    const token = this.#tokens[this.#at];
    if (token === undefined || !signs.includes(token)) return null;
    this.#at += 1;
    return token;
  }
}
