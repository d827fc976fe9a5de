/** Decides whether a complete call is handed out, and what is then known about it. */
import type { JsonObject } from '../../format/messages.ts';
import type { Assurance } from '../events.ts';
import type { Provenance } from '../provenance.ts';

/** How arguments are checked. */
export interface CallCheck {
  /** Lists what is wrong with a call; empty if nothing is. */
  readonly validate: (toolName: string, input: JsonObject) => readonly string[];
  /** Whether that includes the schema of its tool, so that a call without problems is known to be valid. */
  readonly validates: boolean;
  /** What the caller knows about how the text was written; `null` if nothing. */
  readonly provenance: Provenance | null;
}

/** The verdict; without problems, the call is handed out. */
interface CallVerdict {
  readonly problems: readonly string[];
  readonly assurance: Assurance | undefined;
}

/** The verdict on a call. What its grammar enforced is not validated again, except for what no grammar says. */
export function judgeCall(
  { validate, validates, provenance }: CallCheck,
  toolName: string,
  input: JsonObject,
  isEnforced: boolean,
): CallVerdict {
  if (isEnforced) {
    const problems = provenance?.problemsOf?.(toolName, input) ?? [];
    return { problems, assurance: 'enforced' };
  }
  return { problems: validate(toolName, input), assurance: validates ? 'validated' : undefined };
}
