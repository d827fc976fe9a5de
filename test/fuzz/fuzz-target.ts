/** What a target of the fuzzer is. */
import type fc from 'fast-check';
import { IdiolectError } from '../../src/format/errors.ts';

/** Something that reads what strangers write. */
export interface FuzzTarget {
  /** As texts, so that one that fails can be kept in a file. */
  readonly inputs: fc.Arbitrary<string>;
  /** Throws, or rejects, where `input` was not dealt with as promised. */
  readonly attempt: (input: string) => void | Promise<void>;
}

/** Does `work`; typed errors are an answer, all others come through. */
export async function typed(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof IdiolectError)) throw error;
  }
}
