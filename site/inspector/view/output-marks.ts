/** The regions of a response as marks in its editor, and the caret of the replay. */
import { type Extension, RangeSetBuilder, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import type { ReadSpan } from '../core/read-response.ts';

/** New marks for the text that is there: its regions, and where the replay stands. */
export const setMarks = StateEffect.define<{ readonly spans: readonly ReadSpan[]; readonly at: number }>();

/** Where the parser stands, in a text that it has not read to the end. */
class Caret extends WidgetType {
  override eq(): boolean {
    return true;
  }
  toDOM(): HTMLElement {
    const caret = document.createElement('span');
    caret.className = 'caret';
    caret.title = 'the parser stands here';
    return caret;
  }
}

const caret = Decoration.widget({ widget: new Caret(), side: 1 });

function marksOf(spans: readonly ReadSpan[], at: number, length: number): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { type, start, end, note } of spans) {
    const [from, to] = [Math.max(0, start), Math.min(end, length)];
    if (from >= to) continue;
    const attributes = note === undefined ? {} : { attributes: { title: note } };
    builder.add(from, to, Decoration.mark({ class: `span ${type}`, ...attributes }));
  }
  if (at < length) {
    builder.add(at, at, caret);
    builder.add(at, length, Decoration.mark({ class: 'unwritten' }));
  }
  return builder.finish();
}

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    const moved = marks.map(transaction.changes);
    return transaction.effects.reduce(
      (last, effect) =>
        effect.is(setMarks) ? marksOf(effect.value.spans, effect.value.at, transaction.newDoc.length) : last,
      moved,
    );
  },
  provide: (self) => EditorView.decorations.from(self),
});

/** Makes an editor show marks. */
export const outputMarks: Extension = field;
