/** The templates of a model with their formats: from a generated module, or analysed here. */
import type { ModelFacts } from '../../analysis/probes/probing.ts';
import type { Capabilities } from '../../format/capabilities.ts';
import { ToolsUnsupportedError, UnsupportedOptionError } from '../../format/errors.ts';
import { templateFingerprint } from '../../format/template-fingerprint.ts';
import { finish, finishInTurns, type Steps } from '../../language/expression/steps.ts';
import type { GeneratedModule } from '../../parser/module-contract.ts';
import type { ToolFormatOption } from '../../template/tool-format/tool-format-option.ts';
import type { LearnedTemplate, SpecialTexts, TemplateReader } from './template-reader.ts';

/** The export of `generated/index.ts`: loaders of modules by the fingerprint of their template. */
export type ModuleRegistry = ReadonlyMap<string, () => Promise<{ readonly responseModule: GeneratedModule }>>;

/** The templates of a model file; if it has only one, it is used for both. */
export interface TemplateSources {
  /** The model's name in errors. */
  readonly name: string;
  readonly default: string;
  readonly toolUse: string;
}

/** The default template in this tool format, for all chats; the same templates if there is none. */
export async function withToolFormat(
  sources: TemplateSources,
  format: ToolFormatOption | undefined,
): Promise<TemplateSources> {
  if (format === undefined) return sources;
  const { wrapTemplate } = await import('../../template/tool-format/wrap-template.ts');
  const wrapped = wrapTemplate(sources.default, format, sources.name);
  return { ...sources, default: wrapped, toolUse: wrapped };
}

/** Learns each template once, when it is first needed. */
export class TemplateCache {
  readonly specialTexts: SpecialTexts;
  readonly sources: TemplateSources;
  readonly #default: TemplateReader;
  readonly #toolUse: TemplateReader;
  #toolsRequired = false;

  private constructor(
    sources: TemplateSources,
    specialTexts: SpecialTexts,
    readers: readonly [TemplateReader, TemplateReader],
  ) {
    this.sources = sources;
    this.specialTexts = specialTexts;
    [this.#default, this.#toolUse] = readers;
  }

  /**
   * Looks for generated modules; templates without one are analysed on demand, with the `facts` of the model's tokens,
   * and the analysis is loaded for them.
   */
  static async open(
    sources: TemplateSources,
    specialTexts: SpecialTexts,
    modules: readonly GeneratedModule[] | ModuleRegistry,
    facts: () => ModelFacts = () => ({}),
  ): Promise<TemplateCache> {
    const open = async (source: string): Promise<TemplateReader> => {
      const generated = await findGenerated(source, modules);
      if (generated !== undefined) return new ModuleReader(source, generated);
      const { TemplateAnalyzer } = await import('./template-analyzer.ts');
      return new TemplateAnalyzer(source, { name: sources.name, ...specialTexts }, facts);
    };
    const reader = await open(sources.default);
    const same = sources.toolUse === sources.default;
    return new TemplateCache(sources, specialTexts, [reader, same ? reader : await open(sources.toolUse)]);
  }

  /** Whether a generated module was found for the template of chats with tools. */
  get knowsTools(): boolean {
    return this.#toolUse instanceof ModuleReader;
  }

  /** The template for chats without tools, and the one for chats with tools. Throws what `learn` throws. */
  get all(): { readonly default: LearnedTemplate; readonly toolUse: LearnedTemplate } {
    return { default: this.learn(false), toolUse: this.learn(true) };
  }

  /** The same, in turns with other work. */
  async learnAll(): Promise<TemplateCache['all']> {
    for (const withTools of [false, true]) await finishInTurns(this.learnSteps(withTools));
    return this.all;
  }

  /**
   * The template for chats with or without tools. Throws `TemplateError` or `AnalysisError`, and
   * `ToolsUnsupportedError` if tools are required and the analysis cannot read the template's calls.
   */
  learn(withTools: boolean): LearnedTemplate {
    return finish(this.learnSteps(withTools));
  }

  /** The same, in steps. */
  *learnSteps(withTools: boolean): Steps<LearnedTemplate> {
    const learned = yield* (withTools ? this.#toolUse : this.#default).learn();
    if (withTools && this.#toolsRequired) this.requireTools();
    return learned;
  }

  /**
   * Throws `ToolsUnsupportedError` if the template for chats with tools does not describe tools to the model or
   * renders no calls: the same criterion as before a download.
   */
  requireTools(): void {
    this.#toolsRequired = true;
    const { name, default: plain, toolUse: source } = this.sources;
    const { capabilities } = this.#toolUse;
    if (capabilities.supportsTools && capabilities.supportsToolCalls) return;
    throw new ToolsUnsupportedError({
      model: name,
      template: source === plain ? 'default' : 'tool_use',
      capabilities,
    });
  }
}

/** What a generated module knows of its template. */
class ModuleReader implements TemplateReader {
  readonly capabilities: Capabilities;
  readonly #learned: LearnedTemplate;

  constructor(source: string, responseModule: GeneratedModule) {
    const { format } = responseModule;
    this.capabilities = format.capabilities;
    this.#learned = { source, format, responseModule, reader: responseModule, analysis: null };
  }

  *learn(): Steps<LearnedTemplate> {
    yield;
    return this.#learned;
  }
}

async function findGenerated(
  source: string,
  modules: readonly GeneratedModule[] | ModuleRegistry,
): Promise<GeneratedModule | undefined> {
  const fingerprint = templateFingerprint(source);
  const found =
    'get' in modules
      ? (await modules.get(fingerprint)?.())?.responseModule
      : modules.find(({ templateSha256 }) => templateSha256 === fingerprint);
  if (found !== undefined) requireWhole(found, fingerprint);
  return found;
}

/** A folder of which only some files were written again has the format of one template, and the parser of another. */
function requireWhole({ templateSha256, format }: GeneratedModule, fingerprint: string): void {
  if (templateSha256 === fingerprint && format.templateSha256 === fingerprint) return;
  const reason =
    'the module of this template has files that were made from another one; generate it again (idiolect generate --force)';
  throw new UnsupportedOptionError({ option: 'modules', reason });
}
