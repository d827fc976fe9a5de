/** The toy in its formats. What one of them has read is not read again by another. */
import { once } from '../../../src/format/memoize.ts';
import type { Engine } from '../../../src/runtime/engine/index.ts';
import { fileTokenizer } from '../../../src/testing/evaluator/file-tokenizer.ts';
import { type ToyFormat, toyTemplates } from '../../../src/testing/toy/templates.ts';
import { toyEngine } from '../../../src/testing/toy/toy-engine.ts';
import { toyVocabulary } from '../../../src/testing/toy/vocabulary.ts';

const evaluated = 'json';
/** Weights and tokens are the same in all formats, so one of them evaluates for all. */
const evaluator = once(() => toyEngine(evaluated));

const toys = new Map<ToyFormat, Promise<Engine>>();

/** The toy of this format, always the same one. */
export function toyOf(format: ToyFormat): Promise<Engine> {
  const toy = toys.get(format) ?? openToy(format);
  toys.set(format, toy);
  return toy;
}

async function openToy(format: ToyFormat): Promise<Engine> {
  const engine = await evaluator();
  if (format === evaluated) return engine;
  const { name, model, contextSize, disposed } = engine;
  return {
    ...{ name, model, contextSize, disposed },
    chatTemplate: toyTemplates[format],
    tokenizer: fileTokenizer(toyVocabulary(format).metadata),
    open: (prompt, sampling, signal) => engine.open(prompt, sampling, signal),
    dispose: () => engine.dispose(),
  };
}
