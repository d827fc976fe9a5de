/** The call being read: its name and id until its start is emitted, and the state of its arguments. */
import { anywhere, type SchemaPlace } from './steps/schema-place.ts';
import type { ValueStack } from './steps/values/value-stack.ts';

/** See the top of this file. `Ref` is a state, as in the tables of states. */
export class CallDraft<Ref> {
  name: string | null = null;
  /** The model's own id. */
  id: string | null = null;
  /** Whether the format's own opener precedes it. */
  opened = true;
  /** Its start has been emitted. */
  started = false;
  /** What is wrong with its text has been reported. */
  isReported = false;
  /** What of its JSON was not JSON as it stood. */
  deviation: string | null = null;
  /** The schema of its arguments. */
  parameters: SchemaPlace = anywhere;
  /** Number of entries of the arguments so far. */
  entryCount = 0;
  /** Their names. */
  readonly entryNames = new Set<string>();
  /** Where the value being read belongs; `null` between values. */
  values: ValueStack<Ref> | null = null;
  /** A further call where only one is allowed: it is read, but reported as malformed. */
  readonly isExtra: boolean;

  constructor(isExtra: boolean) {
    this.isExtra = isExtra;
  }
}
