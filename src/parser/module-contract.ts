/**
 * The contract between parser modules and the runtime that they import.
 *
 * A module exports what `defineParser` returns for its definition: the format's markers by name, and its *states*.
 * A state is one step of the runtime (`between`, `region`, `expect`, …) with a table (`state-tables.ts`) of the
 * markers that may come and the states that they lead to. At run time it is a function that takes the reader,
 * examines the text at its position, and returns the next state, or `null` to wait for more text. What a state
 * consumes depends on the text alone, never on where it had to wait, so results do not depend on chunking.
 */
import type { ChatFormat } from '../format/chat-format.ts';
import type { State } from './reader.ts';

/** Version of this contract. A module made for another version is rejected when it is loaded. */
export const moduleContractVersion = 4;

/** What a parser module exports as `responseModule`. */
export interface ResponseModule {
  /** `moduleContractVersion` of the tool that wrote the module. */
  readonly contract: number;
  /** SHA-256 (hex) of the chat template that the module was made from. */
  readonly templateSha256: string;
  /** What every assistant turn begins with; removed from the generation prompt before it is read. */
  readonly turnStart: string;
  /** White space after `turnStart` that is not part of the response. */
  readonly lead: string;
  /** What the generation prompt adds after `turnStart` to open reasoning that has no marker. */
  readonly thoughtPrompt: string;
  /** The initial state, right after `turnStart`. */
  readonly start: State;
}

/** What the index of a generated folder exports: the module and the format it was made from. */
export interface GeneratedModule extends ResponseModule {
  readonly format: ChatFormat;
}
