/** Writes ONNX files: a graph of operators as a message of protocol buffers, of the few kinds that are needed. */

/** An attribute of a node. */
export type Attribute = number | readonly number[];

/** The types of tensors, as ONNX numbers them. */
export const ElementType = { float: 1, int64: 7 } as const;
type Element = (typeof ElementType)[keyof typeof ElementType];

/** A graph that is written node by node. */
export class OnnxWriter {
  readonly #graph: Uint8Array[] = [];
  #names = 0;

  /** Declares an input or an output; a text is a dimension that is known when the model runs. */
  declare(kind: 'input' | 'output', name: string, type: Element, dims: readonly (number | string)[]): void {
    const shape = dims.map((dim) =>
      message(1, typeof dim === 'number' ? varintField(1, dim) : textField(2, dim)),
    );
    const tensor = message(1, varintField(1, type), message(2, ...shape));
    this.#graph.push(message(kind === 'input' ? 11 : 12, textField(1, name), message(2, tensor)));
  }

  /** A constant of 32-bit floats, or of whole numbers. */
  constant(dims: readonly number[], data: Float32Array | readonly number[]): string {
    const name = this.#newName('constant');
    const numbers = data instanceof Float32Array ? data : BigInt64Array.from(data, BigInt);
    const raw = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    const type = data instanceof Float32Array ? ElementType.float : ElementType.int64;
    this.#graph.push(
      message(
        5,
        ...dims.map((dim) => varintField(1, dim)),
        varintField(2, type),
        textField(8, name),
        bytesField(9, raw),
      ),
    );
    return name;
  }

  /** An operator; returns the name of its output. */
  node(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    output = this.#newName(operator),
  ): string {
    this.#graph.push(
      message(
        1,
        ...inputs.map((input) => textField(1, input)),
        textField(2, output),
        textField(4, operator),
        ...Object.entries(attributes).map(([name, value]) => attributeField(name, value)),
      ),
    );
    return output;
  }

  /** The file. */
  bytes(): Uint8Array {
    const [irVersion, operators] = [8, 17];
    return joined([
      varintField(1, irVersion),
      message(7, textField(2, 'toy'), ...this.#graph),
      message(8, textField(1, ''), varintField(2, operators)),
    ]);
  }

  #newName(kind: string): string {
    this.#names += 1;
    return `${kind}_${this.#names}`;
  }
}

function attributeField(name: string, value: Attribute): Uint8Array {
  const [integer, integers] = [2, 7];
  return typeof value === 'number'
    ? message(5, textField(1, name), varintField(3, value), varintField(20, integer))
    : message(5, textField(1, name), ...value.map((each) => varintField(8, each)), varintField(20, integers));
}

function message(field: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return bytesField(field, joined(parts));
}

function textField(field: number, text: string): Uint8Array {
  return bytesField(field, new TextEncoder().encode(text));
}

function bytesField(field: number, bytes: Uint8Array): Uint8Array {
  return joined([varint((field << 3) | 2), varint(bytes.length), bytes]);
}

function varintField(field: number, value: number): Uint8Array {
  return joined([varint(field << 3), varint(value)]);
}

/** Negative numbers as 64 bits, in two's complement. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.from([...bytes, Number(rest)]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
