import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ModelReferenceError } from '../../src/hub/errors.ts';
import { looksLikeReference, parseModelReference } from '../../src/hub/reference.ts';

const word = fc
  .stringMatching(/^[A-Za-z0-9]([\w.]{0,10}[A-Za-z0-9])?$/)
  .filter((text) => !text.includes('..'));
const model = fc.tuple(word, word).map(([owner, name]) => `${owner}/${name}-x`);

test('what is written is read back, in every spelling', () => {
  const prefixes = fc.constantFrom('', 'hf:', 'hf.co/', 'https://huggingface.co/', 'huggingface.co/');
  fc.assert(
    fc.property(prefixes, model, fc.option(word), fc.option(word), (prefix, id, revision, quantization) => {
      const text = `${prefix}${id}${revision === null ? '' : `@${revision}`}${quantization === null ? '' : `:${quantization}`}`;
      fc.pre(!text.endsWith('.lock') && !revision?.endsWith('.lock'));
      expect(parseModelReference(text)).toEqual({ model: id, revision, quantization, file: null });
      expect(looksLikeReference(text)).toBe(true);
    }),
  );
});

test('an address from the browser names the file', () => {
  expect(parseModelReference('https://huggingface.co/org/model/blob/main/q/m-Q8_0.gguf')).toEqual({
    model: 'org/model',
    revision: 'main',
    quantization: null,
    file: 'q/m-Q8_0.gguf',
  });
});

test('any text is read or refused with a typed error, and never names a path outside', () => {
  const pieces = fc.constantFrom(
    'a',
    '/',
    '..',
    '@',
    ':',
    '\\',
    '\0',
    'org/m',
    'C:',
    '~',
    '%2e',
    ' ',
    '\n',
    '--',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(pieces).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(text, (candidate) => {
      try {
        const { model: id, revision } = parseModelReference(candidate);
        expect(id).toMatch(/^[A-Za-z0-9][\w.-]*\/[\w.-]+$/);
        expect(`${id}${revision}`).not.toMatch(/\.\.|\\|\0|^\/|--/);
      } catch (error) {
        expect(error).toBeInstanceOf(ModelReferenceError);
      }
    }),
    { numRuns: 500 },
  );
});

test.each(['model.gguf', './org/model', 'templates/chat.jinja', '/abs/model', 'name', 'a/b/c'])(
  '%s is not taken for a model of the Hub',
  (text) => expect(looksLikeReference(text)).toBe(false),
);
