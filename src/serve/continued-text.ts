/**
 * What a response adds to the answer that it continues: a chat gives the whole of it, and clients of every API expect the
 * rest, which they put after what they sent.
 */
import type { ChatOptions } from '../runtime/chat/chat-options.ts';

/** The texts that a chat continues; empty where it begins. */
export interface BegunTexts {
  readonly content: string;
  readonly thoughts: string;
}

/** The texts of the last message, if it is continued. */
export function begunTexts({ messages, continueFinalMessage }: ChatOptions): BegunTexts {
  const last = messages.at(-1);
  if (continueFinalMessage !== true || last?.role !== 'assistant') return { content: '', thoughts: '' };
  const { content, reasoning_content: thoughts } = last;
  const parts =
    typeof content === 'string' ? [content] : (content ?? []).map((part) => String(part.text ?? ''));
  return { content: parts.join(''), thoughts: thoughts ?? '' };
}

/** Characters that are compared at once. */
const stride = 1024;

/** Leaves out the beginning of a text that comes in pieces. Templates may trim it, so white space may differ. */
export class AddedText {
  readonly #begun: string;
  /** How much of it was found, */
  #found = 0;
  /** and as what. */
  #held = '';

  constructor(begun: string) {
    this.#begun = begun;
  }

  /** What is new of the next piece. */
  add(piece: string): string {
    const begun = this.#begun;
    if (this.#found >= begun.length) return piece;
    let at = 0;
    while (this.#found < begun.length && at < piece.length) {
      const next = begun.slice(this.#found, this.#found + stride);
      if (piece.startsWith(next, at)) {
        at += next.length;
        this.#found += next.length;
        continue;
      }
      const [expected, found] = [begun.charAt(this.#found), piece.charAt(at)];
      const isSame = expected === found;
      if (isSame || isSpace(found)) at += 1;
      if (isSame || isSpace(expected)) this.#found += 1;
      else if (!isSpace(found)) return this.#giveUp() + piece;
    }
    this.#held += piece.slice(0, at);
    return piece.slice(at);
  }

  /** Something else was written: all of it is new. */
  #giveUp(): string {
    this.#found = this.#begun.length;
    return this.#held;
  }
}

function isSpace(character: string): boolean {
  return /\s/.test(character);
}
