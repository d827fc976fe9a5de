/**
 * A model that writes given tokens: real end-to-end tests of sampling, triggers, sessions and loops of tools become
 * deterministic, odd token boundaries included.
 */
import { isRecord } from '../../format/option-rules.ts';
import type { ScriptedModelOptions, ScriptedTurnsOptions } from '../model-file-options.ts';
import { modelByPosition } from './by-position.ts';
import { modelByTurns } from './by-turns.ts';

/**
 * The model's file. With `turns` it follows the conversation: once the text ends with the `after` of a turn, it writes
 * that turn's `script`, wherever this is and whatever comes before. With `script` and `promptLength` it goes by
 * position: with more or fewer tokens before, the script is out of step. Throws `UnsupportedOptionError` for a wrong
 * option, for a script that does not fit, and for turns that cannot be told apart.
 */
export function scriptedModel(options: ScriptedModelOptions | ScriptedTurnsOptions): Uint8Array<ArrayBuffer> {
  return hasTurns(options) ? modelByTurns(options) : modelByPosition(options);
}

function hasTurns(options: ScriptedModelOptions | ScriptedTurnsOptions): options is ScriptedTurnsOptions {
  return isRecord(options) && options.turns !== undefined && options.turns !== null;
}
