/** The page: a template on the left, what was learned of it on the right. */

import { knownTemplates } from 'virtual:known-templates';
import { jinja } from '@codemirror/lang-jinja';
import type { EditorView } from '@codemirror/view';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Conversation, Inspection, TemplateInput } from '../core/inspect-template.ts';
import { type SharedState, writeFragment } from '../core/permalink.ts';
import { readTemplateFile, readTemplateText } from '../core/read-file.ts';
import { WorkerClient } from '../core/worker-client.ts';
import type { WrittenConversation } from '../core/written-message.ts';
import { Compare } from './compare.tsx';
import { Editor } from './editor.tsx';
import { errorMark, setErrorPlace } from './error-mark.ts';
import { Fields } from './fields.tsx';
import { Files } from './files.tsx';
import { Laws } from './laws.tsx';
import { LiveParse } from './live-parse.tsx';
import { MessagePanel } from './message-panel.tsx';
import { Overview } from './overview.tsx';
import { TemplatePicker } from './template-picker.tsx';
import { explain, type InspectionState, useInspection, useWritten } from './use-inspection.ts';

/** A hostile template costs this much, in milliseconds, and then its Worker. */
const limit = 10_000;

/** A text for the editor: on one line of a longer one, it would make the page wait. */
const mostEditable = 300_000;
const tooLong = `what is typed or pasted has at most ${mostEditable.toLocaleString('en')} characters; drop a file`;

/** What the page begins with, and what is wrong about it. */
export interface AppProps {
  readonly first: SharedState;
  readonly warning: string | null;
}

/** The whole page. */
export function App({ first, warning }: AppProps) {
  const [input, setInput] = useState<TemplateInput>(first.input);
  const [output, setOutput] = useState<string | null>(first.output ?? null);
  const [refusal, setRefusal] = useState<string | null>(warning);
  const clients = useMemo(
    () => ({ analysis: new WorkerClient(limit), reading: new WorkerClient(limit) }),
    [],
  );
  const state = useInspection(input, clients.analysis);

  const pick = (picked: TemplateInput) => {
    setRefusal(null);
    setOutput(null);
    setInput(picked);
  };
  useEffect(
    () =>
      onDroppedFile((file) => {
        readTemplateFile(file).then(pick, (error: unknown) => setRefusal(explain(error)));
      }),
    [],
  );
  const editor = useRef<EditorView>(null);
  useEffect(() => {
    editor.current?.dispatch({ effects: setErrorPlace.of(state.place) });
  }, [state.place]);
  const problem = refusal ?? state.problem;
  return (
    <div class="app" data-state={stateName(state)}>
      <header>
        <h1>
          Idiolect <span>inspector</span>
        </h1>
        <TemplatePicker
          label="Template of"
          templates={knownTemplates}
          picked={input.name}
          onPick={pick}
          onProblem={setRefusal}
        />
        <Share input={input} output={output} />
        <p class="promise">Everything runs in this page; nothing leaves it.</p>
      </header>
      <main>
        <section class="panel template" aria-labelledby="template-title">
          <h2 id="template-title">
            {input.name} <small>{input.templateSource.length.toLocaleString('en')} characters</small>
          </h2>
          {input.templateSource.length > mostEditable ? (
            <p class="hint">This template is too long to be shown here.</p>
          ) : (
            <Editor
              label="Chat template: paste one, or drop a file anywhere"
              value={input.templateSource}
              onChange={(text) => {
                setRefusal(null);
                setInput((last) => typed(last, text));
              }}
              extensions={[jinja(), errorMark]}
              onView={(made) => {
                editor.current = made;
              }}
              mostCharacters={mostEditable}
              onTooLong={() => setRefusal(tooLong)}
              numbered
            />
          )}
        </section>
        <div class="findings" data-template={state.inspection?.analysis.format.templateSha256}>
          <Contents />
          <div role="alert">{problem === null ? null : <p class="problem">{problem}</p>}</div>
          {state.inspection === null ? null : (
            <Findings
              key={state.inspection.analysis.format.templateSha256}
              inspection={state.inspection}
              state={state}
              clients={clients}
              output={output}
              onOutput={setOutput}
            />
          )}
        </div>
      </main>
    </div>
  );
}

/** A file may be dropped anywhere. Returns how to stop listening. */
function onDroppedFile(take: (file: File) => void): () => void {
  const over = (event: DragEvent) => event.preventDefault();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    const [file] = event.dataTransfer?.files ?? [];
    if (file !== undefined) take(file);
  };
  addEventListener('dragover', over);
  // Before the editor takes the text of the file for its own.
  addEventListener('drop', drop, { capture: true });
  return () => {
    removeEventListener('dragover', over);
    removeEventListener('drop', drop, { capture: true });
  };
}

function stateName({ busy, problem }: InspectionState): string {
  if (busy) return 'busy';
  return problem === null ? 'ready' : 'failed';
}

/**
 * A pasted `tokenizer_config.json` is read as one; while it is typed, it is no JSON yet. Only what is edited keeps the tokens
 * of its model: another template has others.
 */
function typed(last: TemplateInput, text: string): TemplateInput {
  if (text === last.templateSource) return last;
  const kept = isEdit(last.templateSource, text) ? { ...last, name: edited(last.name) } : { name: pasted };
  try {
    return { ...kept, ...readTemplateText(kept.name, text) };
  } catch {
    return { ...kept, templateSource: text };
  }
}

const pasted = 'a pasted template';

function edited(name: string): string {
  return name === pasted || name.endsWith(' (edited)') ? name : `${name} (edited)`;
}

/** Whether most of a text is still there at its beginning and its end; otherwise it is another one. */
function isEdit(before: string, after: string): boolean {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return 2 * (start + end) >= before.length;
}

interface FindingsProps {
  readonly inspection: Inspection;
  readonly state: InspectionState;
  readonly clients: { readonly analysis: WorkerClient; readonly reading: WorkerClient };
  readonly output: string | null;
  readonly onOutput: (output: string) => void;
}

/** What was learned. */
function Findings({ inspection, state, clients, output, onOutput }: FindingsProps) {
  const [conversation, setConversation] = useState<Conversation>(inspection.conversation);
  const { written, problem } = useWritten(state, conversation, clients.analysis);
  const { format } = inspection.analysis;
  const answer = written === null ? null : textOf(written);
  return (
    <>
      <Panel name="message">
        <MessagePanel
          conversation={conversation}
          written={written}
          turnStart={format.turn.start}
          problem={problem}
          onConversation={setConversation}
        />
      </Panel>
      <Panel name="overview">
        <Overview analysis={inspection.analysis} />
      </Panel>
      <Panel name="parse">
        <LiveParse
          format={format}
          tools={conversation.tools}
          generationPrompt={written?.generationPrompt ?? ''}
          output={output ?? answer ?? (problem === null ? null : '')}
          onOutput={onOutput}
          client={clients.reading}
        />
      </Panel>
      <Panel name="evidence">
        <Fields inspection={inspection} />
      </Panel>
      <Panel name="files">
        <Files format={format} conversation={conversation} client={clients.analysis} />
      </Panel>
      <Panel name="laws">
        <Laws input={state.input} format={format} client={clients.analysis} />
      </Panel>
      <Panel name="compare">
        <Compare name={state.input.name} format={format} client={clients.analysis} />
      </Panel>
    </>
  );
}

function textOf({ answer }: WrittenConversation): string {
  return answer.map(({ text }) => text).join('');
}

/** The parts of the page: their titles, and their short names for the list of contents. */
const panels = {
  message: ['One message, as this model writes it', 'Message'],
  overview: ['The format', 'Format'],
  parse: ['Live parse', 'Live parse'],
  evidence: ['Field by field, with the evidence', 'Evidence'],
  files: ['What is generated', 'Generated files'],
  laws: ['The laws', 'Laws'],
  compare: ['Compare formats', 'Compare'],
} as const;

/** Buttons, not links: the fragment of the address is for the template. */
function Contents() {
  const go = (name: string) => {
    const title = document.getElementById(`${name}-title`);
    title?.scrollIntoView({ block: 'start' });
    title?.focus({ preventScroll: true });
  };
  return (
    <nav class="contents" aria-label="Parts of the page">
      {Object.entries(panels).map(([name, [, short]]) => (
        <button key={name} type="button" onClick={() => go(name)}>
          {short}
        </button>
      ))}
    </nav>
  );
}

interface PanelProps {
  readonly name: keyof typeof panels;
  readonly children: preact.ComponentChildren;
}

function Panel({ name, children }: PanelProps) {
  return (
    <section class={`panel ${name}`} id={name} aria-labelledby={`${name}-title`}>
      <h2 id={`${name}-title`} tabIndex={-1}>
        {panels[name][0]}
      </h2>
      {children}
    </section>
  );
}

/** A link to the page as it is; template and output are in its fragment, which browsers do not send. */
function Share({ input, output }: { readonly input: TemplateInput; readonly output: string | null }) {
  const [told, tell] = useState('');
  useEffect(() => tell(''), [input, output]);
  const share = async () => {
    const fragment = await writeFragment({ input, ...(output === null ? {} : { output }) });
    history.replaceState(null, '', `#${fragment}`);
    const copied = await navigator.clipboard.writeText(location.href).then(
      () => true,
      () => false,
    );
    tell(copied ? 'copied' : 'in the address bar');
  };
  return (
    <div class="share">
      <button type="button" onClick={share}>
        Make a link
      </button>
      <span role="status">{told}</span>
    </div>
  );
}
