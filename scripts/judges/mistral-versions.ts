/** The versions of Mistral's tokenizers that `mistral-common` knows, each with the chat template that it makes. */
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { askPython } from './python.ts';

/** What Mistral's code writes under a version, as far as its templates write the same. */
export interface MistralVersion {
  /** `spm` is SentencePiece's vocabulary. */
  readonly version: string;
  /** v1 has no tools. */
  readonly calls: boolean;
  /** v2 has one call at once. */
  readonly parallel: boolean;
  /** Before v7, no text stands next to calls, and results are no JSON. */
  readonly old: boolean;
  readonly thinks: boolean;
}

const tekken = { calls: true, parallel: true, old: false, thinks: false };

/** All of them. */
export const versions: readonly MistralVersion[] = [
  { version: 'v1spm', calls: false, parallel: false, old: true, thinks: false },
  { version: 'v2spm', calls: true, parallel: false, old: true, thinks: false },
  { ...tekken, version: 'v3spm', old: true },
  { ...tekken, version: 'v3', old: true },
  { ...tekken, version: 'v7spm' },
  { ...tekken, version: 'v7' },
  { ...tekken, version: 'v11' },
  { ...tekken, version: 'v13' },
  { ...tekken, version: 'v13', thinks: true },
  { ...tekken, version: 'v15', thinks: true },
];

/** A version with its template. */
export interface MistralTemplate extends MistralVersion {
  /** `v13-thoughts`. */
  readonly name: string;
  readonly source: string;
  readonly format: ChatFormat;
}

/** Asks the package for the templates. */
export function mistralTemplates(): readonly MistralTemplate[] {
  const questions = versions.map(({ version, thinks }, id) => ({ id, template: version, thinks }));
  const answers = askPython<MistralText>('mistral.py', questions);
  return versions.map((each, index) => {
    const { text, error } = answers.find(({ id }) => id === index) ?? {};
    if (text === undefined) throw new Error(`${each.version}: ${error}`);
    const name = each.thinks ? `${each.version}-thoughts` : each.version;
    return { ...each, name, source: text, format: analyzeTemplate(text).format };
  });
}

/** A text of the package, or why there is none. */
export interface MistralText {
  readonly id: number;
  readonly text?: string;
  readonly error?: string;
}
