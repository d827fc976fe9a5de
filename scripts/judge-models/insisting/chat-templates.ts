/** The chat templates of the generated modules, and others that lie elsewhere. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { analyzeTemplate } from '../../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import { allTemplates } from '../../../test/support/corpora.ts';
import { generatedFormats } from '../../../test/support/generated-formats.ts';

/** A template and its format. */
export interface NamedTemplate {
  readonly name: string;
  readonly source: string;
  readonly format: ChatFormat;
}

/** Those of the generated modules whose formats have calls. */
export async function generatedTemplates(): Promise<readonly NamedTemplate[]> {
  const sources = new Map((await allTemplates()).map(({ source }) => [sha256(source), source]));
  return generatedFormats().flatMap(({ name, format }) => {
    const source = sources.get(format.templateSha256);
    return source === undefined || format.calls === null ? [] : [{ name, source, format }];
  });
}

/** The folder of recorded cases: `IDIOLECT_CONFORMANCE`, or `../shared/conformance` next to the repository. */
export function casesFolder(): string {
  return process.env.IDIOLECT_CONFORMANCE ?? path.join(import.meta.dirname, '../../../../shared/conformance');
}

/** A template in that folder. */
export function outsideTemplate(file: string): NamedTemplate {
  const source = fs.readFileSync(path.join(casesFolder(), file), 'utf8');
  return { name: path.basename(file, '.jinja'), source, format: analyzeTemplate(source).format };
}

/** All templates in that folder whose formats have calls; none if it is not there. */
export function outsideTemplates(): readonly NamedTemplate[] {
  return ['more-templates', 'unseen-templates'].flatMap((folder) => {
    const place = path.join(casesFolder(), folder);
    if (!fs.existsSync(place)) return [];
    const files = fs.readdirSync(place).filter((file) => file.endsWith('.jinja'));
    return files.flatMap((file) => {
      const template = readable(path.join(folder, file));
      return template === null || template.format.calls === null ? [] : [template];
    });
  });
}

/** `null` if the template cannot be analysed, which other tests are about. */
function readable(file: string): NamedTemplate | null {
  try {
    return outsideTemplate(file);
  } catch {
    return null;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
