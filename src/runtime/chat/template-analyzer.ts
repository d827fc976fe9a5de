/**
 * Learns a template that has no generated module. In a file of its own, so that the analysis is loaded only when such
 * a template is met: a page with modules needs none of it.
 */
import type { Analysis } from '../../analysis/analysis.ts';
import { analyzeTemplateSteps } from '../../analysis/analyze-template.ts';
import { observeCapabilities } from '../../analysis/capabilities.ts';
import type { ModelFacts } from '../../analysis/probes/probing.ts';
import { interpretedModule } from '../../codegen/create-response-parser.ts';
import type { Capabilities } from '../../format/capabilities.ts';
import type { Steps } from '../../language/expression/steps.ts';
import { parseTemplate } from '../../template/template.ts';
import type { LearnedTemplate, SpecialTexts, TemplateReader } from './template-reader.ts';

/** Analyses a template once, when it is first asked to. */
export class TemplateAnalyzer implements TemplateReader {
  readonly #source: string;
  readonly #options: SpecialTexts & { readonly name: string };
  readonly #facts: () => ModelFacts;
  #learned: LearnedTemplate | null = null;
  /** The analysis, which every chat that needs it brings on. */
  #running: Steps<Analysis> | null = null;

  constructor(source: string, options: SpecialTexts & { readonly name: string }, facts: () => ModelFacts) {
    this.#source = source;
    this.#options = options;
    this.#facts = facts;
  }

  get capabilities(): Capabilities {
    if (this.#learned !== null) return this.#learned.format.capabilities;
    return observeCapabilities(parseTemplate(this.#source, { name: this.#options.name })).capabilities;
  }

  *learn(): Steps<LearnedTemplate> {
    while (this.#learned === null) {
      this.#advance();
      yield;
    }
    return this.#learned;
  }

  #advance(): void {
    const running =
      this.#running ?? analyzeTemplateSteps(this.#source, { ...this.#options, ...this.#facts() });
    // One that throws is over: whoever asks next meets the error again.
    this.#running = null;
    const { done, value: analysis } = running.next();
    if (done !== true) this.#running = running;
    else this.#learned = this.#read(analysis);
  }

  #read(analysis: Analysis): LearnedTemplate {
    const { format } = analysis;
    const reader = interpretedModule(format);
    return { source: this.#source, format, responseModule: null, reader, analysis };
  }
}
