/** Agreement of the two parsers: every checked-in module says what the interpreter of its format says. */
import { expect, it } from 'vitest';
import { modules } from '../../generated/index.ts';
import { toyModules } from '../../site/playground/core/toy-modules.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { verificationCases, verificationTools } from '../../src/generate/verify/verification-cases.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { generatedInputs } from '../support/generated-corpus.ts';
import { sampled } from '../support/sample.ts';
import { mutate, type Random, seededRandom } from '../support/sample-grammar.ts';

const inputs = await generatedInputs();

function read(module: Parameters<typeof createResponseParser>[0], text: string, cut: number) {
  const parser = createResponseParser(module, { tools: verificationTools, markers: true });
  return [...parser.feed(text.slice(0, cut)), ...parser.feed(text.slice(cut)), parser.finish()];
}

it('the package has a module for every template, by fingerprint', () => {
  expect(modules.size).toBe(inputs.length);
});

/** Those of the toy are the playground's. */
const loaders = [
  ...sampled([...modules], 3),
  ...toyModules.map((module) => [module.templateSha256, async () => ({ responseModule: module })] as const),
];

it.each(loaders)('module of %s agrees with the interpreter, broken texts included', async (sha256, load) => {
  const { responseModule: module } = await load();
  expect(module.templateSha256).toBe(sha256);
  const random: Random = seededRandom(Number.parseInt(sha256.slice(0, 8), 16));
  for (const { message } of verificationCases) {
    const written = writeResponse(module.format, message);
    for (const text of [written, mutate(written, random), mutate(written, random)]) {
      const cut = Math.floor(random() * (text.length + 1));
      expect(read(module, text, cut), text).toEqual(read(module.format, text, cut));
    }
  }
});
