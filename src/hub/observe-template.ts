/** The capabilities of a template, observed by rendering it: the judgement behind the gate. */
import { analyzeTemplate } from '../analysis/analyze-template.ts';
import type { ObserveCapabilities } from './inspect-model.ts';

/** Observes a template by analysing it. Throws what `analyzeTemplate` throws. */
export const observeTemplate: ObserveCapabilities = (source) => analyzeTemplate(source).capabilities;
