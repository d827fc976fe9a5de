/** The modules that are checked in, in `generated/` and for the playground: which there are, and how they are made. */
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { folderName } from '../../src/cli/model-source.ts';
import { AnalysisError } from '../../src/format/errors.ts';
import type { GenerateInput } from '../../src/generate/generate-model.ts';
import { factsOf } from '../../src/runtime/engine/open-templates.ts';
import { type ToyFormat, toyTemplates } from '../../src/testing/toy/templates.ts';
import { toyEngine } from '../../src/testing/toy/toy-engine.ts';
import { llamaTemplates, ollamaTemplates } from './corpora.ts';

let known: Promise<readonly GenerateInput[]> | undefined;

/**
 * What is generated, worked out once per process: every template of llama.cpp's corpus, and of the Ollama library
 * every one that calls tools or reasons and is not among them. One module per distinct template.
 */
export function generatedInputs(): Promise<readonly GenerateInput[]> {
  known ??= findInputs();
  return known;
}

/** The toy's templates, one for each format, with what its tokenizer says of them: for the playground. */
export function toyInputs(): Promise<readonly GenerateInput[]> {
  const formats = Object.keys(toyTemplates) as ToyFormat[];
  return Promise.all(
    formats.map(async (name) => {
      const { chatTemplate: templateSource, tokenizer } = await toyEngine(name);
      const { bosToken = '', eosToken = '' } = tokenizer;
      const facts = factsOf(tokenizer);
      return { name, origin: `the toy's ${name}`, templateSource, bosToken, eosToken, facts } as const;
    }),
  );
}

async function findInputs(): Promise<readonly GenerateInput[]> {
  const inputs = new Map<string, GenerateInput>();
  for (const { name, source } of await llamaTemplates()) {
    if (!inputs.has(source))
      inputs.set(source, { name: folderName(name), origin: name, templateSource: source });
  }
  for (const { name, source } of await ollamaTemplates()) {
    if (inputs.has(source) || !callsOrReasons(source)) continue;
    inputs.set(source, {
      name: folderName(name.replace(/^library\//, '')),
      origin: name,
      templateSource: source,
    });
  }
  return withUniqueNames([...inputs.values()]);
}

/** The library has a model twice, with two templates: the second is `qwq-32b-2`. */
function withUniqueNames(inputs: readonly GenerateInput[]): GenerateInput[] {
  const seen = new Map<string, number>();
  return inputs.map((input) => {
    const count = (seen.get(input.name) ?? 0) + 1;
    seen.set(input.name, count);
    return count === 1 ? input : { ...input, name: `${input.name}-${count}` };
  });
}

/** Classifiers have no chat format at all. */
function callsOrReasons(source: string): boolean {
  try {
    const { format } = analyzeTemplate(source);
    return format.calls !== null || format.reasoning !== null;
  } catch (error) {
    if (error instanceof AnalysisError) return false;
    throw error;
  }
}
