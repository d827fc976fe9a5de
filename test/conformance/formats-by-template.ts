/** The formats of the templates that cases name. */
import fs from 'node:fs';
import path from 'node:path';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { allTemplates } from '../support/corpora.ts';

/** The formats of the templates in both corpora, and of files in `dataFolder`; each is worked out once. */
export async function formatsByTemplate(dataFolder: string): Promise<FormatsByTemplate> {
  return new FormatsByTemplate(dataFolder, await sourcesByName());
}

async function sourcesByName(): Promise<ReadonlyMap<string, string>> {
  return new Map((await allTemplates()).map(({ name, source }) => [name, source]));
}

/** Formats of templates, by the names that cases give. */
export class FormatsByTemplate {
  readonly #folder: string;
  readonly #sources: ReadonlyMap<string, string>;
  readonly #formats = new Map<string, ChatFormat>();

  constructor(folder: string, sources: ReadonlyMap<string, string>) {
    this.#folder = folder;
    this.#sources = sources;
  }

  /** The format of a template; throws `RangeError` if there is none of this name. */
  get(template: string): ChatFormat {
    const known = this.#formats.get(template);
    if (known !== undefined) return known;
    const { format } = analyzeTemplate(this.#source(template));
    this.#formats.set(template, format);
    return format;
  }

  #source(template: string): string {
    if (template.startsWith('more-templates/'))
      return fs.readFileSync(path.join(this.#folder, template), 'utf8');
    const source = this.#sources.get(template.replace(/\.jinja$/, ''));
    if (source !== undefined) return source;
    const file = path.join(this.#folder, 'more-templates', template);
    if (!fs.existsSync(file)) throw new RangeError(`no template ${template} in the corpora`);
    return fs.readFileSync(file, 'utf8');
  }
}
