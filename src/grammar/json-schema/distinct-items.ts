/** Arrays of distinct items out of a few scalars: each set of values that came is a rule. */
import { alternatives } from '../alternatives.ts';
import { type Expression, literal, sequence } from '../expression.ts';
import { wordsOf } from '../regular/words.ts';
import type { ArrayShape, Shape } from './shapes.ts';
import { indented, type ValueWriter } from './value-writer.ts';

const maxValues = 9;

/** The array, or `null` when its items are not all of one state with a few scalar values. */
export function writeDistinct(shape: ArrayShape, writer: ValueWriter, margin: number): Expression | null {
  if (shape.prefix.length > 0 || shape.contains.length > 0) return null;
  const values = fewValues(shape, writer);
  if (values === null || values.length < shape.min) return null;
  const { array } = writer.syntax;
  const { open, close, separator } = indented(array, writer.syntax.indent, margin);
  const most = Math.min(shape.max ?? values.length, values.length);
  const key = writer.rules.freshKey('distinct');
  const rest = (used: number): Expression => {
    const count = bitCount(used);
    const ends = count >= shape.min ? literal(count === 0 ? array.empty : close) : null;
    const lead = count === 0 ? open : separator;
    const more = values.flatMap((value, index) =>
      (used & (2 ** index)) === 0
        ? [sequence(literal(lead + array.itemOpen + value + array.itemClose), after(used | (2 ** index)))]
        : [],
    );
    return alternatives(...(count < most ? more : []), ...(ends === null ? [] : [ends]));
  };
  const after = (used: number) => writer.rules.named(`${key} ${used}`, 'distinct', () => rest(used));
  return rest(0);
}

function bitCount(bits: number): number {
  return bits === 0 ? 0 : (bits & 1) + bitCount(bits >> 1);
}

/** The values that an item can be, as they are written. */
function fewValues(shape: ArrayShape, writer: ValueWriter): readonly string[] | null {
  const { compilation } = writer;
  const found: string[] = [];
  for (const shapes of compilation.shapes(shape.rest).values()) {
    for (const each of compilation.productive(shapes)) {
      const values = valuesOf(each, writer);
      if (values === null || found.length + values.length > maxValues) return null;
      found.push(...values);
    }
  }
  return [...new Set(found)];
}

function valuesOf(shape: Shape, writer: ValueWriter): readonly string[] | null {
  const { syntax, compilation } = writer;
  switch (shape.type) {
    case 'null':
      return [syntax.null];
    case 'boolean':
      return shape.values.map((value) => (value ? syntax.true : syntax.false));
    case 'number':
      return shape.only === null ? null : wordsOf(compilation.languages.numbers([shape]), maxValues);
    case 'string': {
      const { open, close, spelling } = syntax.string;
      const words = wordsOf(compilation.languages.strings(shape), maxValues);
      return words?.map((word) => open + (spelling === null ? word : spelling.text(word)) + close) ?? null;
    }
    default:
      return null;
  }
}
