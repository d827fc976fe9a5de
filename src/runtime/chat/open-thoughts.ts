/** Whether the model is thinking, as far as a budget for thoughts is concerned. */
import type { ParserPosition } from '../../parser/response-parser.ts';

/** How a response begins its thoughts. */
export interface ThoughtsOpening {
  /** What the prompt wrote of the turn. */
  readonly generationPrompt: string;
  /** What opens reasoning in this format, without white space after it; empty where nothing does. */
  readonly reasoningStart: string;
}

/** Thoughts may follow: the parser is in them, or after their marker and waits for its white space. */
export function inOpenThoughts(
  { region }: ParserPosition,
  written: string,
  { generationPrompt, reasoningStart }: ThoughtsOpening,
): boolean {
  if (region !== 'between' || reasoningStart === '') return region === 'reasoning';
  return `${generationPrompt}${written}`.endsWith(reasoningStart);
}
