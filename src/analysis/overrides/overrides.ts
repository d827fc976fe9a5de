/**
 * Overrides: what no render of a template can show, asserted by data files with a reason.
 *
 * An override names templates by fingerprint and is merged into the inferred format field by field. Each
 * field that it sets is evidence of its own, and the reason says why a render cannot show it.
 */
import type { ChatFormat } from '../../format/chat-format.ts';
import type { EvidenceLog } from '../evidence.ts';
import { channelSpellings } from './channel-spellings.ts';
import type { FormatOverride } from './format-override.ts';
import { pythonicCalls } from './pythonic-calls.ts';
import { reasoningOnRequest } from './reasoning-on-request.ts';
import { taggedJsonCalls } from './tagged-json-calls.ts';

/** All overrides there are. */
export const overrides: readonly FormatOverride[] = [
  channelSpellings,
  pythonicCalls,
  reasoningOnRequest,
  taggedJsonCalls,
];

/** The format with the overrides of its template merged in. */
export function applyOverrides(format: ChatFormat, log: EvidenceLog): ChatFormat {
  const matching = overrides.filter((each) => each.templates.includes(format.templateSha256));
  let merged: unknown = format;
  for (const override of matching) {
    merged = merge(merged, override.format);
    logFields(override.format, override.reason, log);
  }
  return merged as ChatFormat;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function merge(base: unknown, change: unknown): unknown {
  if (!isRecord(base) || !isRecord(change)) return change;
  const changed = Object.entries(change).map(([key, value]) => [key, merge(base[key], value)] as const);
  return { ...base, ...Object.fromEntries(changed) };
}

/** What an override asserts replaces the evidence and the doubts of the fields that it sets. */
function logFields(format: FormatOverride['format'], reason: string, log: EvidenceLog): void {
  for (const [part, value] of Object.entries(format)) {
    const fields = isRecord(value) ? Object.keys(value).map((key) => `${part}.${key}`) : [part];
    for (const field of fields) log.withdraw(field);
    log.support(part, 'override', JSON.stringify(value), reason);
  }
}
