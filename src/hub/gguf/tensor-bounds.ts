/** Checks the positions of the weights in a GGUF file: inside the file, and without overlap. */
import { ModelFileError } from '../../format/errors.ts';
import type { GgufLayout, TensorInfo } from './gguf-layout.ts';

/** How a type stores weights: the number in a block, and its bytes. */
interface Block {
  readonly weights: bigint;
  readonly bytes: bigint;
}

/** The `ggml_type`s of `ggml.h`, by number, without removed ones. */
const blocks: ReadonlyMap<number, Block> = new Map(
  [
    [0, 1, 4], // F32
    [1, 1, 2], // F16
    [2, 32, 18], // Q4_0
    [3, 32, 20], // Q4_1
    [6, 32, 22], // Q5_0
    [7, 32, 24], // Q5_1
    [8, 32, 34], // Q8_0
    [9, 32, 36], // Q8_1
    [10, 256, 84], // Q2_K
    [11, 256, 110], // Q3_K
    [12, 256, 144], // Q4_K
    [13, 256, 176], // Q5_K
    [14, 256, 210], // Q6_K
    [15, 256, 292], // Q8_K
    [16, 256, 66], // IQ2_XXS
    [17, 256, 74], // IQ2_XS
    [18, 256, 98], // IQ3_XXS
    [19, 256, 50], // IQ1_S
    [20, 32, 18], // IQ4_NL
    [21, 256, 110], // IQ3_S
    [22, 256, 82], // IQ2_S
    [23, 256, 136], // IQ4_XS
    [24, 1, 1], // I8
    [25, 1, 2], // I16
    [26, 1, 4], // I32
    [27, 1, 8], // I64
    [28, 1, 8], // F64
    [29, 256, 56], // IQ1_M
    [30, 1, 2], // BF16
    [34, 256, 54], // TQ1_0
    [35, 256, 66], // TQ2_0
    [39, 32, 17], // MXFP4
  ].map(([type = 0, weights = 0, bytes = 0]) => [type, { weights: BigInt(weights), bytes: BigInt(bytes) }]),
);

/** ggml's limit. */
const maxNameLength = 63;

/**
 * Throws `ModelFileError` unless every tensor is within the `size` bytes of the file and overlaps no other. For a type
 * that is newer than this code, only the beginning is checked.
 */
export function checkTensorBounds({ tensors, dataOffset }: GgufLayout, size: number, file: string): void {
  const refuse = (tensor: TensorInfo, reason: string): never => {
    const name = JSON.stringify(tensor.name.slice(0, maxNameLength));
    throw new ModelFileError({ file, reason: `its tensor ${name} ${reason}` });
  };
  const names = new Set<string>();
  const available = BigInt(size) - BigInt(dataOffset);
  let end = 0n;
  for (const tensor of [...tensors].sort(byOffset)) {
    if (tensor.name.length > maxNameLength) refuse(tensor, `has a name of more than ${maxNameLength} bytes`);
    if (names.has(tensor.name)) refuse(tensor, 'is there twice');
    names.add(tensor.name);
    const length = byteLength(tensor) ?? refuse(tensor, 'has rows that its type cannot store');
    if (tensor.offset + length > available)
      refuse(
        tensor,
        `ends after the file, which has ${size} bytes; if its download was broken off, fetch it again`,
      );
    if (length > 0n && tensor.offset < end) refuse(tensor, 'lies over another one');
    if (length > 0n) end = tensor.offset + length;
  }
}

function byOffset(one: TensorInfo, other: TensorInfo): number {
  return one.offset < other.offset ? -1 : one.offset > other.offset ? 1 : 0;
}

/** Number of weights of a tensor. */
export function weightCount({ sides }: TensorInfo): bigint {
  return sides.reduce((product, side) => product * side, 1n);
}

/** `null` if rows are not whole blocks. */
function byteLength(tensor: TensorInfo): bigint | null {
  const block = blocks.get(tensor.type);
  if (block === undefined) return 0n;
  const [row = 1n] = tensor.sides;
  return row % block.weights === 0n ? (weightCount(tensor) / block.weights) * block.bytes : null;
}
