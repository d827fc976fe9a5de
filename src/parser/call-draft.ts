/** The call that is being read: what is known of it before its start is emitted, and what its arguments need. */
import { anywhere, type SchemaPlace } from './steps/schema-place.ts';
import type { ValueStack } from './steps/values/value-stack.ts';

/** See the top of this file. */
export class CallDraft {
  name: string | null = null;
  /** The model's own id. */
  id: string | null = null;
  /** Its start has been emitted. */
  started = false;
  /** The schema of its arguments. */
  parameters: SchemaPlace = anywhere;
  /** Entries of the arguments so far. */
  entryCount = 0;
  /** Their names. */
  readonly entryNames = new Set<string>();
  /** Where the values that are being read belong. */
  values: ValueStack | null = null;
  /** It may not be made, because there has been one. */
  readonly isExtra: boolean;

  constructor(isExtra: boolean) {
    this.isExtra = isExtra;
  }
}
