/** The playground: a model that answers here, and models whose responses were recorded. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Recording, recordings } from '../core/recordings.ts';
import { type Place, writePlace } from '../core/settings.ts';
import type { ResponseState } from '../core/told.ts';
import { Form } from './form.tsx';
import { Recorded } from './recorded.tsx';
import { Results } from './results.tsx';
import { type TabName, Tabs } from './tabs.tsx';
import { useReplay } from './use-replay.ts';
import { useResponse } from './use-response.ts';

/** Tokens of the toy. */
const toySize = 912;

const titles: Readonly<Record<TabName, ComponentChildren>> = {
  toy: (
    <>
      <h1>
        A model of two megabytes calls your tool, <span>in this page</span>
      </h1>
      <p>
        Model, tokenizer and grammar are plain JavaScript in your browser. Change the schema, and the mask
        follows.
      </p>
    </>
  ),
  recorded: (
    <>
      <h1>
        A real model calls a tool, <span>token by token</span>
      </h1>
      <p>What the model wanted to write, what the schema made of it, and how sure the model was.</p>
    </>
  ),
};

/** The whole page. The address follows what is set. */
export function App({ first }: { readonly first: Place }) {
  const [place, setPlace] = useState(first);
  const [seed, setSeed] = useState(1);
  // With either tab, so that a change of tabs loads nothing.
  const response = useResponse(place.settings, seed);
  useEffect(() => history.replaceState(null, '', `#${writePlace(place)}`), [place]);
  const show = (recording: Recording | undefined) =>
    setPlace({ ...place, recording: recording?.model ?? null });
  const recording = recordings.find(({ model }) => model === place.recording);
  const tab = recording === undefined ? 'toy' : 'recorded';
  return (
    <>
      <header>
        {titles[tab]}
        <Tabs tab={tab} onTab={(chosen) => show(chosen === 'toy' ? undefined : recordings[0])} />
      </header>
      {recording === undefined ? (
        <Panel tab="toy" response={response}>
          <Form
            settings={place.settings}
            problem={response.problem}
            onChange={(settings) => setPlace({ ...place, settings })}
            onAgain={() => setSeed(seed + 1)}
          />
          <Results
            response={response}
            subject={`${seed} ${JSON.stringify(place.settings)}`}
            size={toySize}
            remark="The schema decides what is valid, not what is right: a model that wants Paris, and may not write it, writes another city."
          />
        </Panel>
      ) : (
        <RecordedTab key={recording.model} recording={recording} onRecording={show} />
      )}
    </>
  );
}

interface RecordedProps {
  readonly recording: Recording;
  readonly onRecording: (recording: Recording) => void;
}

function RecordedTab({ recording, onRecording }: RecordedProps) {
  const { response, replay } = useReplay(recording.progress);
  return (
    <Panel tab="recorded" response={response}>
      <Recorded recording={recording} onRecording={onRecording} onReplay={replay} />
      <Results
        response={response}
        subject={recording.model}
        size={recording.size}
        remark={recording.remark}
      />
    </Panel>
  );
}

interface PanelProps {
  readonly tab: TabName;
  readonly response: ResponseState;
  readonly children: ComponentChildren;
}

function Panel({ tab, response: { problem, message }, children }: PanelProps) {
  const state = problem !== null ? 'failed' : message === null ? 'busy' : 'ready';
  return (
    <main class="app" data-state={state}>
      <div class="columns" id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
        {children}
      </div>
    </main>
  );
}
