/** Observes the capabilities of a template by rendering it. */
import { observeCapabilities } from '../analysis/capabilities.ts';
import { parseTemplate } from '../template/template.ts';
import type { ObserveCapabilities } from './inspect-model.ts';

/** Observes a template's capabilities. Throws `TemplateError` or `TemplateLimitError`. */
export const observeTemplate: ObserveCapabilities = (source) =>
  observeCapabilities(parseTemplate(source)).capabilities;
