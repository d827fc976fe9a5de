/**
 * A model that follows the conversation: what it writes depends on the last tokens only, wherever they stand.
 *
 * It is of the `llama` architecture. Its residual has four parts: what comes `next`, as the code of a token; the
 * `own` piece, the number of the piece (piece-levels.ts) with which the text ends; an `older` one, which the layer has
 * fetched; and a one. A token comes in as the code in `next`, out of which the first layer reads it. Every layer makes
 * pieces of the level below into those of its own:
 *
 * - Its attention looks back by the difference of the two lengths, and fetches the piece that was known there. Queries
 *   and keys are constant, turned by the positions (rope); the distance is that of the phases, so one position is
 *   ahead of every other by far.
 * - In its feed-forward part, one unit for each piece fires where older and own piece are its two parts: it puts the
 *   number of the new piece in place of 'none', and, for a key, what comes next in place of `otherwise`.
 *
 * All codes are signs, so the norm of the residual is known at each station, and the weights of the normalisations undo
 * it. Input and output share their rows: `next` is read by the codes that tokens come in with.
 */
import { UnsupportedOptionError } from '../../../src/format/errors.ts';
import { readOptions, requireOption } from '../../../src/format/option-rules.ts';
import { numberIn } from '../../../src/testing/gguf-reader.ts';
import type { GgufTensor, GgufValue } from '../../../src/testing/gguf-types.ts';
import { float32Value, uint32Value, writeGguf } from '../../../src/testing/gguf-writer.ts';
import { vocabularyRule } from '../../../src/testing/model-file-options.ts';
import { modelMetadata } from '../../../src/testing/tiny-model.ts';
import {
  headKeys,
  headWidth,
  type Layer,
  layerTensors,
  phaseTensor,
  plainNorm,
  type Residual,
  residualOf,
  unitCount,
} from './layer-weights.ts';
import { type PieceLevel, pieceLevels } from './piece-levels.ts';
import { type ScriptedTurnsOptions, scriptRefused, turnsRules } from './scripted-options.ts';
import { halfBits, requireKnownTokens, signBits, signCode } from './token-codes.ts';
import { turnKeys } from './turn-keys.ts';

/** The file of such a model. Throws `UnsupportedOptionError` like `scriptedModel`. */
export function modelByTurns(given: ScriptedTurnsOptions): Uint8Array<ArrayBuffer> {
  const options = checkedOptions(given);
  const { vocabulary, turns, otherwise } = options;
  const levels = pieceLevels(turnKeys(turns));
  const known = knownTokens(levels, otherwise);
  const most = Math.max(...levels.slice(1).map(({ pieces }) => pieces.length));
  const residual = residualOf(signBits(known.size + 1), signBits(most + 1));
  requireFewPieces(residual);
  const layers = layersOf(levels, known, otherwise);
  const hiddenWidth = Math.max(...layers.map((layer) => unitCount(layer, residual)));
  const { width } = residual;
  const keys: readonly (readonly [string, GgufValue])[] = [
    ['block_count', uint32Value(layers.length)],
    ['embedding_length', uint32Value(width)],
    ['feed_forward_length', uint32Value(hiddenWidth)],
    ['attention.layer_norm_rms_epsilon', float32Value(1e-6)],
    ...headKeys,
  ];
  return writeGguf(modelMetadata('llama', keys, options), [
    {
      name: 'token_embd.weight',
      shape: [width, vocabulary.size],
      data: tokenRows(known, residual, vocabulary.size),
    },
    outputNorm(residual),
    phaseTensor(),
    ...layers.flatMap((layer) => layerTensors(layer, residual, hiddenWidth)),
  ]);
}

function checkedOptions(given: ScriptedTurnsOptions): ScriptedTurnsOptions & { readonly otherwise: number } {
  const options = readOptions(given, turnsRules, scriptRefused);
  requireOption('vocabulary', options.vocabulary, vocabularyRule);
  const { vocabulary, turns } = options;
  turns.forEach(({ after, script }, index) => {
    requireKnownTokens(`turns[${index}].after`, after, vocabulary);
    requireKnownTokens(`turns[${index}].script`, script, vocabulary);
  });
  const otherwise = options.otherwise ?? numberIn(vocabulary.metadata, 'tokenizer.ggml.eos_token_id');
  if (otherwise === undefined) {
    const reason =
      'is needed: the vocabulary marks no token as the end of a text (tokenizer.ggml.eos_token_id)';
    throw new UnsupportedOptionError({ option: 'otherwise', reason });
  }
  requireKnownTokens('otherwise', [otherwise], vocabulary);
  return { ...options, otherwise };
}

/** Numbers for the relevant tokens; equal for single-token pieces and tokens. */
function knownTokens(levels: readonly PieceLevel[], otherwise: number): ReadonlyMap<number, number> {
  const single = levels[0]?.pieces.flatMap(({ tokens }) => tokens) ?? [];
  const next = levels.flatMap(({ pieces }) => pieces.flatMap((piece) => piece.next ?? []));
  return new Map([...new Set([...single, ...next, otherwise])].map((token, index) => [token, index + 1]));
}

function requireFewPieces({ nextBits, ownBits }: Residual): void {
  if (Math.max(nextBits, ownBits) <= headWidth) return;
  const reason = `together they are longer than ${2 ** headWidth - 1} tokens; make several models of them`;
  throw new UnsupportedOptionError({ option: 'turns', reason });
}

function layersOf(
  levels: readonly PieceLevel[],
  tokens: ReadonlyMap<number, number>,
  otherwise: number,
): readonly Layer[] {
  return levels.slice(1).map(({ length, pieces }, index) => {
    const below = levels[index];
    return {
      index,
      distance: length - (below?.length ?? 0),
      keysBelow: index === 0 ? (below?.pieces.filter(({ next }) => next !== null) ?? []) : [],
      pieces,
      tokens,
      otherwise,
    };
  });
}

/** The embedding of each token: its code, and the one. All irrelevant tokens are equal. */
function tokenRows(
  known: ReadonlyMap<number, number>,
  { nextBits, one, width }: Residual,
  size: number,
): Uint16Array {
  const rows = new Uint16Array(width * size);
  const other = rowOf(0);
  for (let token = 0; token < size; token += 1) rows.set(other, width * token);
  for (const [token, number] of known) rows.set(rowOf(number), width * token);
  return rows;

  function rowOf(number: number): readonly number[] {
    const row = [...signCode(number, nextBits), ...new Array<number>(width - nextBits).fill(0)];
    row[one] = 1;
    return row.map(halfBits);
  }
}

/** Only shows `next` to the rows, where a different sign costs a hundred. */
function outputNorm({ nextBits, ownBits, width }: Residual): GgufTensor {
  const { name, shape, data } = plainNorm('output_norm.weight', 1 + nextBits + ownBits, width);
  return { name, shape, data: Float32Array.from(data, (weight, at) => (at < nextBits ? 50 * weight : 0)) };
}
