/** The page: settings, the conversation, and the field in which one writes. */
import { useEffect, useState } from 'preact/hooks';
import { listModels, ServerProblem } from '../core/server.ts';
import { readTools } from '../core/tool-text.ts';
import { Composer } from './composer.tsx';
import { KeyField } from './key-field.tsx';
import { type Choices, SettingsPanel } from './settings-panel.tsx';
import { Transcript } from './transcript.tsx';
import { useChat } from './use-chat.ts';

const keyName = 'idiolect-key';

/** The whole page. */
export function App() {
  const [key, setKey] = useState(sessionStorage.getItem(keyName) ?? '');
  const [asksKey, setAsksKey] = useState(false);
  const [models, setModels] = useState<readonly string[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const [choices, setChoices] = useState<Choices>({
    model: '',
    toolText: '',
    toolChoice: 'auto',
    thinks: true,
    maxTokens: null,
  });
  const { toolText, ...rest } = choices;
  const { tools, problem: toolProblem } = readTools(toolText);
  const chat = useChat({ ...rest, tools }, key, () => setAsksKey(true));

  useEffect(() => {
    listModels(key).then(
      (names) => {
        setModels(names);
        setAsksKey(false);
        setProblem(null);
        setChoices((before) => ({ ...before, model: before.model === '' ? (names[0] ?? '') : before.model }));
      },
      (error: Error) => {
        if (error instanceof ServerProblem && error.needsKey) setAsksKey(true);
        else setProblem(error.message);
      },
    );
  }, [key]);

  return (
    <div class="app">
      <header>
        <h1>Idiolect</h1>
        <label>
          <span>Model</span>
          <select
            value={choices.model}
            onChange={({ currentTarget }) => setChoices({ ...choices, model: currentTarget.value })}
          >
            {models.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={chat.clear} disabled={chat.turns.length === 0}>
          New conversation
        </button>
      </header>
      {asksKey && (
        <KeyField
          wasWrong={key !== ''}
          onKey={(given) => {
            sessionStorage.setItem(keyName, given);
            setKey(given);
          }}
        />
      )}
      <div role="alert">{problem !== null && <p class="problem">{problem}</p>}</div>
      <main>
        <SettingsPanel choices={choices} problem={toolProblem} onChange={setChoices} />
        <section class="talk" aria-label="Conversation">
          <Transcript turns={chat.turns} onResult={chat.tell} />
          <Composer chat={chat} isReady={choices.model !== '' && toolProblem === null} />
        </section>
      </main>
    </div>
  );
}
