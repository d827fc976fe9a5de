/** The templates of a model and what is known of them: from a generated module, or analysed here. */
import { createHash } from 'node:crypto';
import { type Analysis, analyzeTemplate } from '../../../analysis/analyze-template.ts';
import type { ChatFormat } from '../../../chat-format.ts';
import type { ResponseModule } from '../../module-contract.ts';

/** A generated module as an application imports it. */
export interface GeneratedFormat {
  readonly format: ChatFormat;
  readonly responseModule: ResponseModule;
}

/** Where knowledge about templates comes from. */
export interface LearnOptions {
  /** Generated modules; the one with the template's fingerprint is used. Default: none. */
  readonly modules?: readonly GeneratedFormat[];
}

/** A template and how the model writes under it. */
export interface LearnedTemplate {
  readonly source: string;
  readonly format: ChatFormat;
  /** Set when a generated module was found by the template's fingerprint. */
  readonly responseModule: ResponseModule | null;
  /** Set when the template was analysed on the spot: its warnings are worth reading. */
  readonly analysis: Analysis | null;
}

/** Texts of the tokens that templates take from outside. */
export interface SpecialTexts {
  readonly bosToken: string;
  readonly eosToken: string;
}

/** Learns each template once, when it is first needed. */
export class TemplateShelf {
  readonly specialTexts: SpecialTexts;
  readonly name: string;
  readonly #sources: { readonly default: string; readonly toolUse: string };
  readonly #modules: readonly GeneratedFormat[];
  readonly #learned = new Map<string, LearnedTemplate>();

  constructor(
    sources: { readonly name: string; readonly default: string; readonly toolUse: string },
    specialTexts: SpecialTexts,
    { modules = [] }: LearnOptions,
  ) {
    this.name = sources.name;
    this.#sources = sources;
    this.specialTexts = specialTexts;
    this.#modules = modules;
  }

  /** The template for chats with or without tools. Throws `TemplateError` or `AnalysisError`. */
  learn(withTools: boolean): LearnedTemplate {
    const source = withTools ? this.#sources.toolUse : this.#sources.default;
    const known = this.#learned.get(source) ?? this.#learn(source);
    this.#learned.set(source, known);
    return known;
  }

  #learn(source: string): LearnedTemplate {
    const sha256 = createHash('sha256').update(source).digest('hex');
    const generated = this.#modules.find(({ format }) => format.templateSha256 === sha256);
    if (generated !== undefined) return { source, analysis: null, ...generated };
    const analysis = analyzeTemplate(source, { name: this.name, ...this.specialTexts });
    return { source, format: analysis.format, responseModule: null, analysis };
  }
}
