/** Where a template is wrong, marked in its editor. */
import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';

/** A place in a template. */
export interface ErrorPlace {
  /** From 1. */
  readonly line: number;
  /** From 1, if known. */
  readonly column?: number;
  /** What is wrong, for those who point at it. */
  readonly reason: string;
}

/** The place that is wrong; `null`: none. */
export const setErrorPlace = StateEffect.define<ErrorPlace | null>();

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { changes, effects, newDoc }) {
    let next = marks.map(changes);
    for (const effect of effects) {
      if (!effect.is(setErrorPlace)) continue;
      next = effect.value === null ? Decoration.none : markOf(effect.value, newDoc);
    }
    return next;
  },
  provide: (self) => EditorView.decorations.from(self),
});

function markOf({ line, column, reason }: ErrorPlace, doc: EditorView['state']['doc']): DecorationSet {
  if (line > doc.lines) return Decoration.none;
  const { from, to, text } = doc.line(line);
  const start = from + (column === undefined ? Math.max(0, text.search(/\S/)) : column - 1);
  if (start >= to) return Decoration.none;
  // A tag of which only the beginning is known is marked so far; its end may be what is missing.
  const end = column === undefined ? to : Math.min(to, start + 3);
  return Decoration.set(Decoration.mark({ class: 'wrong', attributes: { title: reason } }).range(start, end));
}

/** Makes an editor mark the place that is wrong. */
export const errorMark: Extension = field;
