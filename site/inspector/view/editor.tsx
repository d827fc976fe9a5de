/** CodeMirror as a component. */
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Annotation, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'preact/hooks';

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.operatorKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.attributeValue], color: 'var(--code-string)' },
  { tag: [tags.comment, tags.blockComment], color: 'var(--dim)', fontStyle: 'italic' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: [tags.propertyName, tags.variableName], color: 'var(--code-name)' },
  { tag: [tags.tagName, tags.angleBracket, tags.brace], color: 'var(--code-tag)' },
]);

const common: readonly Extension[] = [
  history(),
  drawSelection(),
  bracketMatching(),
  syntaxHighlighting(colours),
  // Tab goes on to the next control: nobody is caught in an editor.
  keymap.of([...defaultKeymap, ...historyKeymap]),
  EditorView.lineWrapping,
];

/** What an editor shows. */
export interface EditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange?: (value: string) => void;
  /** Read once, when the editor is made. */
  readonly extensions?: readonly Extension[];
  readonly numbered?: boolean;
  /** A change that makes the text longer is not taken, and `onTooLong` is told. */
  readonly mostCharacters?: number;
  readonly onTooLong?: () => void;
  /** Gets the view when it is made. */
  readonly onView?: (view: EditorView) => void;
}

/** Marks a text that came from outside, and need not be told. */
const given = Annotation.define<boolean>();

/** An editor for one text; without `onChange` it is read only. */
export function Editor(props: EditorProps) {
  const { label, value, onChange, extensions = [], numbered = false, onView } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  /** Texts that were told and have not come back yet as `value`: by then, more may have been typed. */
  const told = useRef<string[]>([value]);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    if (place.current === null) return;
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          ...common,
          ...extensions,
          numbered ? lineNumbers() : [],
          EditorState.readOnly.of(onChange === undefined),
          EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
          EditorState.changeFilter.of(({ newDoc }) => {
            const { mostCharacters = Infinity, onTooLong } = latest.current;
            if (newDoc.length <= mostCharacters) return true;
            onTooLong?.();
            return false;
          }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((each) => each.annotation(given))) return;
            const text = update.state.doc.toString();
            told.current.push(text);
            latest.current.onChange?.(text);
          }),
        ],
      }),
    });
    view.current = made;
    onView?.(made);
    return () => made.destroy();
  }, []);

  useEffect(() => {
    const { current } = view;
    const place = told.current.indexOf(value);
    told.current = place < 0 ? [value] : told.current.slice(place);
    if (current === null || place >= 0) return;
    current.dispatch({
      changes: { from: 0, to: current.state.doc.length, insert: value },
      annotations: given.of(true),
      filter: false,
    });
  }, [value]);

  return <div class="editor" ref={place} />;
}
