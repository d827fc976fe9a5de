/** Tensors of the stand-in for transformers.js. They insist on their shapes, and on being disposed of once. */

type Numbers = Float32Array | BigInt64Array;

/** An array of any number of dimensions. */
export interface StandInTensor {
  readonly type: string;
  readonly dims: readonly number[];
  readonly location: string;
  /** The numbers, as users of the package get them. */
  readonly data: Numbers;
  /** The numbers, wherever they are. */
  read(): Numbers;
  dispose(): void;
}

/** A class of tensors. */
export type TensorClass = new (
  type: string,
  data: Numbers,
  dims: readonly number[],
  location?: string,
) => StandInTensor;

/** The class of tensors whose members on a GPU are listed in `onGpu`. */
export function tensorClass(onGpu: Set<object>): TensorClass {
  return class Tensor implements StandInTensor {
    readonly type: string;
    readonly dims: readonly number[];
    readonly location: string;
    readonly #data: Numbers;

    constructor(type: string, data: Numbers, dims: readonly number[], location = 'cpu') {
      const size = dims.reduce((product, each) => product * each, 1);
      if (data.length !== size)
        throw new RangeError(`${data.length} numbers in a tensor of ${dims.join(' × ')}`);
      this.type = type;
      this.dims = dims;
      this.location = location;
      this.#data = data;
      if (location !== 'cpu') onGpu.add(this);
    }

    get data(): Numbers {
      if (this.location !== 'cpu') throw new Error('the numbers are not on the processor');
      return this.#data;
    }

    read(): Numbers {
      if (this.location !== 'cpu' && !onGpu.has(this)) throw new Error('the tensor is disposed of');
      return this.#data;
    }

    dispose(): void {
      if (!onGpu.delete(this)) throw new Error('nothing to dispose of');
    }
  };
}

/** Keys and values by the names of a model's inputs. */
export class DynamicCache {
  constructor(entries: Readonly<Record<string, StandInTensor>>) {
    Object.assign(this, entries);
  }
}
