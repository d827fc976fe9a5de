/** Results of trials, in a file next to the model. */
import fs from 'node:fs/promises';
import { isObject } from '../../format/json-values.ts';
import type { JsonValue } from '../../format/messages.ts';
import { toolVersion } from '../../format/version.ts';
import { trialFile } from '../../hub/local-file.ts';
import type { TrialRow } from './trial.ts';

/** A finished trial. */
export interface Trial {
  readonly type: 'tool_trial';
  readonly model: string;
  /** Of the model's own template. */
  readonly template_sha256: string;
  /** The version of this package. */
  readonly version: string;
  readonly rows: readonly TrialRow[];
  readonly advice: string;
}

/** A trial of this version. */
export function trialOf(facts: Omit<Trial, 'type' | 'version'>): Trial {
  return { type: 'tool_trial', version: toolVersion, ...facts };
}

/** The advice for a model with this template, if it was tried and the result was kept. */
export async function storedAdvice(modelFile: string, templateSha256: string): Promise<string | null> {
  try {
    const stored: JsonValue = JSON.parse(await fs.readFile(trialFile(modelFile), 'utf8'));
    if (!isObject(stored) || stored.template_sha256 !== templateSha256) return null;
    return typeof stored.advice === 'string' ? stored.advice : null;
  } catch {
    return null;
  }
}
