/** Models generated together share a parser where theirs differ in the template's fingerprint only. */
import { generatedBanner } from '../../src/codegen/banner.ts';
import type { GeneratedModel } from '../../src/generate/generate-model.ts';

const parserFile = 'parser.ts';

/**
 * The models, in which a parser that an earlier one has already is imported from there. Their folders then belong
 * together: one cannot be moved without the other.
 */
export function shareParsers(models: readonly GeneratedModel[]): readonly GeneratedModel[] {
  const owners = new Map<string, string>();
  return models.map((model) => {
    const { name, files, analysis } = model;
    const text = withoutFingerprint(files.get(parserFile) ?? '', analysis.format.templateSha256);
    const owner = owners.get(text);
    if (owner === undefined) {
      owners.set(text, name);
      return model;
    }
    const shared = sharedParser(owner, analysis.format.templateSha256);
    return { ...model, files: new Map([...files, [parserFile, shared]]) };
  });
}

/** A parser module without what tells it apart from that of another template with the same format. */
export function withoutFingerprint(parser: string, templateSha256: string): string {
  return parser.replace(templateSha256, '');
}

/** The parser module of a template whose parser lies in the folder `owner` next to its own. */
export function sharedParser(owner: string, templateSha256: string): string {
  return `${generatedBanner}
import { responseModule as shared } from '../${owner}/parser.js';

/** Reads the responses of one chat template, as those of ${owner}: the two differ in the template's fingerprint only. */
export const responseModule = {
  ...shared,
  templateSha256: '${templateSha256}',
};
`;
}
