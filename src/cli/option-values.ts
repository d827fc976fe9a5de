/** Parsers of command-line options. Each throws commander's `InvalidArgumentError`. */
import { InvalidArgumentError } from 'commander';

/** 1, 2, 3, … */
export function positiveInteger(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError('It must be an integer >= 1.');
}

/** 0, 1, 2, … */
export function wholeNumber(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  throw new InvalidArgumentError('It must be an integer >= 0.');
}

/** A port to listen on; 0 for any free one. */
export function portNumber(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
  throw new InvalidArgumentError('It must be an integer from 0 to 65535.');
}

/** 0 or more. */
export function nonNegative(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number) && number >= 0) return number;
  throw new InvalidArgumentError('It must be a number >= 0.');
}
