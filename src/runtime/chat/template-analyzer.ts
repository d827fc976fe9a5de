/**
 * Learns a template that has no generated module. In a file of its own, so that the analysis is loaded only when such
 * a template is met: a page with modules needs none of it.
 */
import { analyzeTemplate } from '../../analysis/analyze-template.ts';
import { observeCapabilities } from '../../analysis/capabilities.ts';
import type { ModelFacts } from '../../analysis/probes/probing.ts';
import { interpretedModule } from '../../codegen/create-response-parser.ts';
import type { Capabilities } from '../../format/capabilities.ts';
import { parseTemplate } from '../../template/template.ts';
import type { LearnedTemplate, SpecialTexts, TemplateReader } from './template-reader.ts';

/** Analyses a template once, when it is first asked to. */
export class TemplateAnalyzer implements TemplateReader {
  readonly #source: string;
  readonly #options: SpecialTexts & { readonly name: string };
  readonly #facts: () => ModelFacts;
  #learned: LearnedTemplate | null = null;

  constructor(source: string, options: SpecialTexts & { readonly name: string }, facts: () => ModelFacts) {
    this.#source = source;
    this.#options = options;
    this.#facts = facts;
  }

  get capabilities(): Capabilities {
    if (this.#learned !== null) return this.#learned.format.capabilities;
    return observeCapabilities(parseTemplate(this.#source, { name: this.#options.name })).capabilities;
  }

  learn(): LearnedTemplate {
    if (this.#learned !== null) return this.#learned;
    const analysis = analyzeTemplate(this.#source, { ...this.#options, ...this.#facts() });
    const { format } = analysis;
    const reader = interpretedModule(format);
    this.#learned = { source: this.#source, format, responseModule: null, reader, analysis };
    return this.#learned;
  }
}
