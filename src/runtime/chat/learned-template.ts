/** The templates of a model with their formats: from a generated module, or analysed here. */
import { type Analysis, analyzeTemplate } from '../../analysis/analyze-template.ts';
import { observeCapabilities } from '../../analysis/capabilities.ts';
import type { ModelFacts } from '../../analysis/probes/probing.ts';
import type { ChatFormat } from '../../format/chat-format.ts';
import { ToolsUnsupportedError } from '../../format/errors.ts';
import { sha256 } from '../../format/sha256.ts';
import type { GeneratedModule, ResponseModule } from '../../parser/module-contract.ts';
import { parseTemplate } from '../../template/template.ts';
import { type ToolFormatOption, wrapTemplate } from '../../template/tool-format/wrap-template.ts';

/** The export of `generated/index.ts`: loaders of modules by the fingerprint of their template. */
export type ModuleRegistry = ReadonlyMap<string, () => Promise<{ readonly responseModule: GeneratedModule }>>;

/** A template, and the format of responses under it. */
export interface LearnedTemplate {
  readonly source: string;
  readonly format: ChatFormat;
  /** Set if a generated module was found by the template's fingerprint. */
  readonly responseModule: ResponseModule | null;
  /** Set if the template was analysed now; its warnings are worth reading. */
  readonly analysis: Analysis | null;
}

/** The texts of special tokens that templates receive as variables. */
export interface SpecialTexts {
  readonly bosToken: string;
  readonly eosToken: string;
}

/** The templates of a model file; if it has only one, it is used for both. */
export interface TemplateSources {
  /** The model's name in errors. */
  readonly name: string;
  readonly default: string;
  readonly toolUse: string;
}

/** The default template in this tool format, for all chats; the same templates if there is none. */
export function withToolFormat(
  sources: TemplateSources,
  format: ToolFormatOption | undefined,
): TemplateSources {
  if (format === undefined) return sources;
  const wrapped = wrapTemplate(sources.default, format, sources.name);
  return { ...sources, default: wrapped, toolUse: wrapped };
}

/** Learns each template once, when it is first needed. */
export class TemplateCache {
  readonly specialTexts: SpecialTexts;
  readonly sources: TemplateSources;
  readonly #facts: () => ModelFacts;
  readonly #learned: Map<string, LearnedTemplate>;
  #toolsRequired = false;

  private constructor(
    sources: TemplateSources,
    specialTexts: SpecialTexts,
    facts: () => ModelFacts,
    learned: Map<string, LearnedTemplate>,
  ) {
    this.#facts = facts;
    this.sources = sources;
    this.specialTexts = specialTexts;
    this.#learned = learned;
  }

  /** Looks for generated modules; templates without one are analysed on demand, with the `facts` of the model's tokens. */
  static async open(
    sources: TemplateSources,
    specialTexts: SpecialTexts,
    modules: readonly GeneratedModule[] | ModuleRegistry,
    facts: () => ModelFacts = () => ({}),
  ): Promise<TemplateCache> {
    const learned = new Map<string, LearnedTemplate>();
    for (const source of new Set([sources.default, sources.toolUse])) {
      const generated = await findGenerated(source, modules);
      if (generated !== undefined) {
        learned.set(source, { source, format: generated.format, responseModule: generated, analysis: null });
      }
    }
    return new TemplateCache(sources, specialTexts, facts, learned);
  }

  /** Whether a generated module was found for the template of chats with tools. */
  get knowsTools(): boolean {
    return this.#learned.has(this.sources.toolUse);
  }

  /** The template for chats without tools, and the one for chats with tools. Throws what `learn` throws. */
  get all(): { readonly default: LearnedTemplate; readonly toolUse: LearnedTemplate } {
    return { default: this.learn(false), toolUse: this.learn(true) };
  }

  /**
   * The template for chats with or without tools. Throws `TemplateError` or `AnalysisError`, and
   * `ToolsUnsupportedError` if tools are required and the analysis cannot read the template's calls.
   */
  learn(withTools: boolean): LearnedTemplate {
    const source = withTools ? this.sources.toolUse : this.sources.default;
    const known = this.#learned.get(source) ?? this.#analyze(source);
    this.#learned.set(source, known);
    if (withTools && this.#toolsRequired) this.requireTools();
    return known;
  }

  /**
   * Throws `ToolsUnsupportedError` if the template for chats with tools does not describe tools to the model or
   * renders no calls: the same criterion as before a download.
   */
  requireTools(): void {
    this.#toolsRequired = true;
    const { name, default: plain, toolUse: source } = this.sources;
    const capabilities =
      this.#learned.get(source)?.format.capabilities ??
      observeCapabilities(parseTemplate(source, { name })).capabilities;
    if (capabilities.supportsTools && capabilities.supportsToolCalls) return;
    throw new ToolsUnsupportedError({
      model: name,
      template: source === plain ? 'default' : 'tool_use',
      capabilities,
    });
  }

  #analyze(source: string): LearnedTemplate {
    const analysis = analyzeTemplate(source, {
      name: this.sources.name,
      ...this.specialTexts,
      ...this.#facts(),
    });
    return { source, format: analysis.format, responseModule: null, analysis };
  }
}

async function findGenerated(
  source: string,
  modules: readonly GeneratedModule[] | ModuleRegistry,
): Promise<GeneratedModule | undefined> {
  const fingerprint = sha256(source);
  if ('get' in modules) {
    return (await modules.get(fingerprint)?.())?.responseModule;
  }
  return modules.find(({ templateSha256 }) => templateSha256 === fingerprint);
}
