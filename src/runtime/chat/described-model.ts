/** What is known of a model and of a chat with it, wherever the model is evaluated. */
import type { BuiltGrammar } from '../../grammar/built-grammar.ts';
import type { LearnedTemplate } from './template-reader.ts';

/** A model, without what it can do. */
export interface DescribedModel {
  /** Its name. */
  readonly name: string;
  /** Tokens available to prompt and response together. */
  readonly contextSize: number;
  /** The model's templates with their formats: `default`, and `toolUse`, which is the same if the model has no other. */
  readonly templates: { readonly default: LearnedTemplate; readonly toolUse: LearnedTemplate };
}

/** What a chat would use. */
export interface PreviewedPrompt {
  readonly prompt: string;
  /** The part of the assistant's turn in the prompt. */
  readonly generationPrompt: string;
  readonly grammar: BuiltGrammar;
}
