/** Each bound of the command's own parts: at it, one below and one above. */
import { describe, expect, it } from 'vitest';
import { calculate } from '../../src/cli/chat/calculate.ts';
import { folderName, isFolderName } from '../../src/cli/model-source.ts';
import { ToolError } from '../../src/index.ts';

describe('an expression that is calculated', () => {
  it.each([
    [999, true],
    [1000, true],
    [1001, false],
  ])('has at most 1000 characters: %i', (length, isTaken) => {
    const text = '1'.padEnd(length);
    if (isTaken) expect(calculate(text)).toBe(1);
    else expect(() => calculate(text)).toThrow(ToolError);
  });

  it.each([
    [99, true],
    [100, true],
    [101, false],
  ])('is nested at most 100 deep, in parentheses, signs and powers: %i', (depth, isTaken) => {
    for (const text of [
      `${'('.repeat(depth)}1${')'.repeat(depth)}`,
      `${'+'.repeat(depth)}1`,
      `1${'^1'.repeat(depth)}`,
    ]) {
      if (isTaken) expect(calculate(text)).toBe(1);
      else expect(() => calculate(text)).toThrow('nested too deeply');
    }
  });
});

describe('the name of a folder', () => {
  it.each([
    [99, 99],
    [100, 100],
    [101, 100],
  ])('has at most 100 characters, to which a longer one is cut: %i', (length, kept) => {
    const name = 'a'.repeat(length);
    expect(folderName(`${name}.gguf`)).toBe('a'.repeat(kept));
    expect(isFolderName(name)).toBe(length === kept);
  });
});
