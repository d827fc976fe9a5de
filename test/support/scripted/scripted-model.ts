/**
 * A model that writes given tokens, which makes end-to-end tests of sampling, triggers, sessions and tool loops
 * deterministic, including unusual token boundaries.
 */
import { isRecord } from '../../../src/format/option-rules.ts';
import { modelByPosition } from './by-position.ts';
import { modelByTurns } from './by-turns.ts';
import type { ScriptedModelOptions, ScriptedTurnsOptions } from './scripted-options.ts';

/**
 * The model's file. With `turns` it follows the conversation: after the `after` of a turn, it writes that turn's
 * `script`, wherever that is and whatever precedes it. With `script` and `promptLength` it depends on the position:
 * with more or fewer tokens before, the script is out of step. Throws `UnsupportedOptionError` for an invalid option,
 * for a script that does not fit, and for turns that cannot be distinguished.
 */
export function scriptedModel(options: ScriptedModelOptions | ScriptedTurnsOptions): Uint8Array<ArrayBuffer> {
  return hasTurns(options) ? modelByTurns(options) : modelByPosition(options);
}

function hasTurns(options: ScriptedModelOptions | ScriptedTurnsOptions): options is ScriptedTurnsOptions {
  return isRecord(options) && options.turns !== undefined && options.turns !== null;
}
