/** Rules for the arguments of the Hub's functions other than their options. */
import { isRecord, type OptionRule } from '../format/option-rules.ts';

/** A model reference, as text or parsed. */
export const modelReference: OptionRule = {
  expected: 'owner/name or a reference that parseModelReference() returns',
  allows: (value) => typeof value === 'string' || (isRecord(value) && typeof value.model === 'string'),
};

/** A parsed model reference. */
export const readReference: OptionRule = {
  expected: 'a reference that parseModelReference() returns',
  allows: (value) => isRecord(value) && typeof value.model === 'string',
};

/** Models from `listCachedModels`. */
export const cachedModels: OptionRule = {
  expected: 'an array of models that listCachedModels() returns',
  allows: (value) =>
    Array.isArray(value) && value.every((each) => isRecord(each) && Array.isArray(each.files)),
};

/** The result of inspecting a model. */
export const modelCard: OptionRule = {
  expected: 'a model card that inspectModel() returns',
  allows: (value) => isRecord(value) && typeof value.supportsTools === 'boolean',
};

/** The chat templates of a header. */
export const chatTemplates: OptionRule = {
  expected: 'the `templates` of a header ({ default, toolUse })',
  allows: (value) => isRecord(value) && 'default' in value && 'toolUse' in value,
};

/** A path or an address. */
export const fileOrAddress: OptionRule = {
  expected: 'the path or the URL of a file',
  allows: (value) => (typeof value === 'string' && value !== '') || value instanceof URL,
};
