/** A response that is typed or replayed, and what the parser makes of it. */
import { EditorView, type ViewUpdate } from '@codemirror/view';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { Tool } from '../../../src/format/messages.ts';
import type { ShownReading, TextWindow } from '../core/shown-reading.ts';
import type { WorkerClient } from '../core/worker-client.ts';
import { Editor } from './editor.tsx';
import { outputMarks, setMarks } from './output-marks.ts';
import { Results, Standing } from './reading-panels.tsx';
import { Replay } from './replay.tsx';
import { explain } from './use-inspection.ts';

/** What is read, and how. */
export interface LiveParseProps {
  readonly format: ChatFormat;
  readonly tools: readonly Tool[];
  /** What the conversation's prompt wrote of the turn. */
  readonly generationPrompt: string;
  /** `null` until the answer of the conversation is written. */
  readonly output: string | null;
  readonly onOutput: (output: string) => void;
  readonly client: WorkerClient;
}

/** Longer outputs are no single response. */
const mostCharacters = 2_000_000;

/** The editor with its regions, the slider, and what came of the text so far. */
export function LiveParse(props: LiveParseProps) {
  const { format, tools, generationPrompt, onOutput, client } = props;
  const output = props.output ?? '';
  const view = useRef<EditorView>(null);
  const latest = useRef(props.output);
  latest.current = props.output;
  const [replay, setReplay] = useState<number | null>(null);
  const [opened, setOpened] = useState(false);
  const [seen, setSeen] = useState<TextWindow>(around({ from: 0, to: 0 }));
  const [read, setRead] = useState<{ readonly text: string; readonly reading: ShownReading } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const at = Math.min(replay ?? output.length, output.length);

  useEffect(() => {
    if (props.output === null) return;
    const request = { text: output, at, tools, generationPrompt: opened ? generationPrompt : null };
    client.ask('read', { format, request, window: seen }).then(
      (answer) => {
        // An answer for an earlier place of the replay is still worth showing, one for another text is not.
        if (answer === null || output !== latest.current) return;
        setProblem(null);
        setRead({ text: output, reading: answer });
        view.current?.dispatch({ effects: setMarks.of({ spans: answer.spans, at }) });
        if (replay !== null && view.current !== null) follow(view.current, at);
      },
      (error: unknown) => setProblem(explain(error)),
    );
  }, [format, tools, props.output, at, opened, generationPrompt, seen, client]);

  const look = ({ view: { visibleRanges }, viewportChanged }: ViewUpdate) => {
    const [first, last] = [visibleRanges[0], visibleRanges.at(-1)];
    if (!viewportChanged || first === undefined || last === undefined) return;
    const visible = { from: first.from, to: last.to };
    setSeen((known) => (known.from <= visible.from && visible.to <= known.to ? known : around(visible)));
  };
  const reading = read?.reading ?? null;
  return (
    <div class="live" data-ready={read !== null && read.text === props.output}>
      <div>
        <Editor
          label="Raw output of the model"
          value={output}
          onChange={(text) => {
            setReplay(null);
            onOutput(text);
          }}
          extensions={[outputMarks, EditorView.updateListener.of(look)]}
          mostCharacters={mostCharacters}
          onTooLong={() =>
            setProblem(`an output has at most ${mostCharacters.toLocaleString('en')} characters`)
          }
          onView={(made) => {
            view.current = made;
          }}
        />
        <Replay at={at} length={output.length} onMove={setReplay} />
        <label>
          <input
            type="checkbox"
            checked={opened}
            onChange={({ currentTarget }) => setOpened(currentTarget.checked)}
          />{' '}
          the output goes on after the generation prompt above
        </label>
        {problem === null ? null : <p class="problem">{problem}</p>}
        {reading === null ? null : <Standing reading={reading} at={at} />}
      </div>
      {reading === null ? null : <Results reading={reading} following={replay !== null} />}
    </div>
  );
}

/** Scrolls the editor's own box to a place. CodeMirror would scroll the page, too, which then cannot be left. */
function follow(view: EditorView, at: number): void {
  const { scrollDOM } = view;
  const place = view.coordsAtPos(at);
  const box = scrollDOM.getBoundingClientRect();
  // Out of what is drawn, only the line is known.
  const top = place === null ? view.lineBlockAt(at).top : place.top - box.top + scrollDOM.scrollTop;
  const margin = box.height / 4;
  if (top < scrollDOM.scrollTop || top > scrollDOM.scrollTop + box.height - margin)
    scrollDOM.scrollTop = top - box.height + 2 * margin;
}

/** Scrolling a little asks for nothing new, in characters. */
const margin = 5000;

function around({ from, to }: TextWindow): TextWindow {
  return { from: from - margin, to: to + margin };
}
