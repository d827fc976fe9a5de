/** What a target of the fuzzer is. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { IdiolectError } from '../../src/format/errors.ts';

/** Something that reads what strangers write. Inputs are texts, so that one that fails can be kept in a file. */
export interface FuzzTarget {
  /** Real inputs, in which the others begin. */
  readonly seeds: readonly string[];
  /** Those that differ from `input` in a few places; `input` is a seed, or came from here. */
  readonly near: (input: string) => fc.Arbitrary<string>;
  /** Throws, or rejects, where `input` was not dealt with as promised. */
  readonly attempt: (input: string) => void | Promise<void>;
}

/** Inputs near one of `from`. */
export function inputsNear({ near }: FuzzTarget, from: readonly string[]): fc.Arbitrary<string> {
  return fc.constantFrom(...from).chain(near);
}

/** 32 bits that depend on `input` alone, for what a target draws itself. */
export function numberOf(input: string): number {
  return createHash('sha256').update(input).digest().readUInt32LE();
}

/** Does `work`; typed errors are an answer, all others come through. */
export async function typed(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof IdiolectError)) throw error;
  }
}
