/** The message that the events of a response add up to. */
import type { Malformed, PossibleCall, ReadToolCall, Repaired, ResponseMessage } from '../events.ts';
import { WrittenText } from '../markers/written-text.ts';
import { QuotedText } from '../quoting/quoted-text.ts';

/** This much of a region's text is searched for calls. */
const maxSearched = 1 << 15;

/** The text of regions as it is written: what it quotes, and the beginning of the latest region. */
class ToldText {
  readonly quoted = new QuotedText();
  private beginning = '';

  read(text: string): void {
    this.quoted.read(text);
    // Not more of a text that comes at once: what is found must not depend on how much arrives together.
    this.beginning += text.slice(0, maxSearched - this.beginning.length);
  }

  take(): string {
    const text = this.beginning;
    this.beginning = '';
    return text;
  }
}

/** Collects the parts of a message; stores nothing if the caller does not want one. */
export class KeptMessage {
  readonly content: WrittenText;
  readonly reasoning: WrittenText;
  private readonly told = { text: new ToldText(), reasoning: new ToldText() };
  private readonly keeps: boolean;
  private readonly calls: ReadToolCall[] = [];
  private readonly malformations: Malformed[] = [];
  private readonly repairs: Repaired[] = [];
  private readonly possible: PossibleCall[] = [];

  constructor(keeps: boolean) {
    this.keeps = keeps;
    this.content = new WrittenText(keeps, this.told.text);
    this.reasoning = new WrittenText(keeps, this.told.reasoning);
  }

  /** What the answer, or the thoughts, quote at their end. */
  quoted(region: 'text' | 'reasoning'): QuotedText {
    const written = region === 'text' ? this.content : this.reasoning;
    written.tell();
    return this.told[region].quoted;
  }

  /** The beginning of the text of a region that ends. */
  takeRegion(region: 'text' | 'reasoning'): string {
    const written = region === 'text' ? this.content : this.reasoning;
    written.tell();
    return this.told[region].take();
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
    const content = this.content.toString();
    const reasoning = this.reasoning.toString();
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
