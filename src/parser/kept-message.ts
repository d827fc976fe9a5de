/** The message that the events of a response add up to. */
import type { Malformed, ReadToolCall, Repaired, ResponseMessage } from './events.ts';
import { WrittenText } from './markers/written-text.ts';
import { QuotedText } from './quoting/quoted-text.ts';

/** Collects the parts of a message; stores nothing if the caller does not want one. */
export class KeptMessage {
  readonly content: WrittenText;
  readonly reasoning: WrittenText;
  private readonly quotedIn = { text: new QuotedText(), reasoning: new QuotedText() };
  private readonly keeps: boolean;
  private readonly calls: ReadToolCall[] = [];
  private readonly malformations: Malformed[] = [];
  private readonly repairs: Repaired[] = [];

  constructor(keeps: boolean) {
    this.keeps = keeps;
    this.content = new WrittenText(keeps, this.quotedIn.text);
    this.reasoning = new WrittenText(keeps, this.quotedIn.reasoning);
  }

  /** What the answer, or the thoughts, quote at their end. */
  quoted(region: 'text' | 'reasoning'): QuotedText {
    const written = region === 'text' ? this.content : this.reasoning;
    written.tell();
    return this.quotedIn[region];
  }

  /** Adds a complete call. */
  addCall(call: ReadToolCall): void {
    if (this.keeps) this.calls.push(call);
  }

  /** Adds what did not fit the format. */
  note(event: Malformed | Repaired): void {
    if (!this.keeps) return;
    if (event.type === 'malformed') this.malformations.push(event);
    else this.repairs.push(event);
  }

  /** The message so far; empty if it is not kept. */
  message(): ResponseMessage {
    if (!this.keeps) return { role: 'assistant', content: null };
    const content = this.content.toString();
    const reasoning = this.reasoning.toString();
    return {
      role: 'assistant',
      content: content === '' && this.calls.length > 0 ? null : content,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(this.calls.length === 0 ? {} : { tool_calls: [...this.calls] }),
      ...(this.malformations.length === 0 ? {} : { malformed: [...this.malformations] }),
      ...(this.repairs.length === 0 ? {} : { repaired: [...this.repairs] }),
    };
  }
}
