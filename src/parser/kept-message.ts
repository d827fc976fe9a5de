/** The message that the events of a response add up to. */
import type { Malformed, PossibleCall, ReadToolCall, Repaired, ResponseMessage } from './events.ts';
import { WrittenText } from './markers/written-text.ts';

/** Collects the parts of a message; stores nothing if the caller does not want one. */
export class KeptMessage {
  private readonly text: WrittenText;
  private readonly thoughts: WrittenText;
  private readonly keeps: boolean;
  private readonly calls: ReadToolCall[] = [];
  private readonly malformations: Malformed[] = [];
  private readonly repairs: Repaired[] = [];
  private readonly possible: PossibleCall[] = [];

  constructor(keeps: boolean) {
    this.keeps = keeps;
    this.text = new WrittenText(keeps);
    this.thoughts = new WrittenText(keeps);
  }

  /** Adds the text of a region. */
  addText(region: 'text' | 'reasoning', text: string): void {
    if (region === 'text') this.text.append(text);
    else this.thoughts.append(text);
  }

  /** Adds a complete call. */
  addCall(call: ReadToolCall): void {
    if (this.keeps) this.calls.push(call);
  }

  /** Adds what did not fit the format. */
  note(event: Malformed | Repaired | PossibleCall): void {
    if (!this.keeps) return;
    if (event.type === 'malformed') this.malformations.push(event);
    else if (event.type === 'repaired') this.repairs.push(event);
    else this.possible.push(event);
  }

  /** The message so far; empty if it is not kept. */
  message(): ResponseMessage {
    if (!this.keeps) return { role: 'assistant', content: null };
    const content = this.text.toString();
    const reasoning = this.thoughts.toString();
    return {
      role: 'assistant',
      content: content === '' && this.calls.length > 0 ? null : content,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(this.calls.length === 0 ? {} : { tool_calls: [...this.calls] }),
      ...(this.malformations.length === 0 ? {} : { malformed: [...this.malformations] }),
      ...(this.repairs.length === 0 ? {} : { repaired: [...this.repairs] }),
      ...(this.possible.length === 0 ? {} : { possible_calls: [...this.possible] }),
    };
  }
}
