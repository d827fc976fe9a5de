/** The capabilities of a template, observed by rendering it: the judgement after the gate. */
import { observeCapabilities } from '../analysis/capabilities.ts';
import { parseTemplate } from '../template/template.ts';
import type { ObserveCapabilities } from './inspect-model.ts';

/** Observes a template's capabilities. Throws `TemplateError` or `TemplateLimitError`. */
export const observeTemplate: ObserveCapabilities = (source) =>
  observeCapabilities(parseTemplate(source)).capabilities;
