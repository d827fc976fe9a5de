/** What chats know of one template. */
import type { Analysis } from '../../analysis/analysis.ts';
import type { Capabilities } from '../../format/capabilities.ts';
import type { ChatFormat } from '../../format/chat-format.ts';
import type { Steps } from '../../language/expression/steps.ts';
import type { ResponseModule } from '../../parser/module-contract.ts';

/** A template, and the format of responses under it. */
export interface LearnedTemplate {
  readonly source: string;
  readonly format: ChatFormat;
  /** Set if a generated module was found by the template's fingerprint. */
  readonly responseModule: ResponseModule | null;
  /** What reads its responses: the generated module, or one made of the format. */
  readonly reader: ResponseModule;
  /** Set if the template was analysed now; its warnings are worth reading. */
  readonly analysis: Analysis | null;
}

/** One template, to be learned when a chat needs it. */
export interface TemplateReader {
  /** What the template accepts and reads; throws `TemplateError` if it is no template. */
  readonly capabilities: Capabilities;
  /** In steps. Throws `TemplateError` or `AnalysisError`. */
  learn(): Steps<LearnedTemplate>;
}

/** The texts of special tokens that templates receive as variables. */
export interface SpecialTexts {
  readonly bosToken: string;
  readonly eosToken: string;
}
