/** The modules that are checked in under `generated/`, made afresh. */
import { folderName } from '../../src/cli/model-source.ts';
import { type GeneratedModel, generateModel } from '../../src/codegen/generate-model.ts';
import { spineTemplates } from './spine-templates.ts';

/** Generates every checked-in module; `progress` is called before each. */
export async function generatedCorpus(
  progress?: (done: number, all: number, name: string) => void,
): Promise<GeneratedModel[]> {
  const templates = await spineTemplates();
  return templates.map(({ name, source }, index) => {
    progress?.(index, templates.length, name);
    return generateModel({ name: folderName(name), origin: name, templateSource: source });
  });
}
