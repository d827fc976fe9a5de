/**
 * The contract between parser modules and the runtime that they import.
 *
 * A module exports what `defineParser` makes of its definition: the format's markers by name, and its *states*,
 * the places where the reader can stand. A state is one step of the runtime (`between`, `region`, `expect`, …)
 * with a table (`state-tables.ts`) of what may stand there and where that leads. At run time it is a function that is given the
 * reader, looks at the text from where it stands, and returns the next state, or `null` to wait for more text.
 * What a state consumes depends on the text alone, never on where it had to wait; that is what makes results
 * independent of how the text was cut.
 *
 * This file holds types and the version of the contract, and imports nothing but types.
 */
import type { ChatFormat } from '../format/chat-format.ts';
import type { State } from './reader.ts';

/** Version of this contract; a module made for another one is refused when it is loaded. */
export const moduleContractVersion = 4;

/** What a parser module exports as `responseModule`. */
export interface ResponseModule {
  /** `moduleContractVersion` of the tool that wrote the module. */
  readonly contract: number;
  /** SHA-256 (hex) of the chat template that the module was made from. */
  readonly templateSha256: string;
  /** What every assistant turn begins with; taken off the generation prompt before it is read. */
  readonly turnStart: string;
  /** White space after `turnStart` that is not part of the response. */
  readonly lead: string;
  /** What the generation prompt adds after `turnStart` to open reasoning that has no marker of its own. */
  readonly thoughtPrompt: string;
  /** Where reading begins: right after `turnStart`. */
  readonly start: State;
}

/** What the index of a generated folder exports: the module and the format it was made from. */
export interface GeneratedModule extends ResponseModule {
  readonly format: ChatFormat;
}
