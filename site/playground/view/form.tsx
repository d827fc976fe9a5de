/** What can be changed: the tool, the question, and how it is answered. */
import { choices, formats, hottest, type Settings } from '../core/settings.ts';

/** The settings, and who is told of changes. */
export interface FormProps {
  readonly settings: Settings;
  readonly problem: string | null;
  readonly onChange: (settings: Settings) => void;
  readonly onAgain: () => void;
}

/** The form. Every change is answered at once. */
export function Form({ settings, problem, onChange, onAgain }: FormProps) {
  const change = (changed: Partial<Settings>) => onChange({ ...settings, ...changed });
  return (
    <form class="panel" onSubmit={(event) => event.preventDefault()} aria-labelledby="form-title">
      <h2 id="form-title">Tool and question</h2>
      <label for="tool">Tool, with a JSON Schema</label>
      <textarea
        id="tool"
        spellcheck={false}
        rows={20}
        value={settings.tool}
        aria-invalid={problem !== null}
        aria-describedby="problem"
        onInput={({ currentTarget }) => change({ tool: currentTarget.value })}
      />
      <p id="problem" class="problem" role="alert">
        {problem}
      </p>
      <label for="question">Question</label>
      <input
        id="question"
        value={settings.question}
        onInput={({ currentTarget }) => change({ question: currentTarget.value })}
      />
      <div class="row">
        <label>
          Format
          <select
            value={settings.format}
            onChange={({ currentTarget }) =>
              change({ format: formats.find((each) => each === currentTarget.value) ?? 'json' })
            }
          >
            {formats.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label>
          Tool choice
          <select
            value={settings.choice}
            onChange={({ currentTarget }) =>
              change({ choice: choices.find((each) => each === currentTarget.value) ?? 'auto' })
            }
          >
            {choices.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label>
          Temperature
          <input
            type="number"
            min={0}
            max={hottest}
            step={0.1}
            value={settings.temperature}
            onInput={({ currentTarget }) =>
              change({ temperature: Math.min(hottest, Math.max(0, Number(currentTarget.value) || 0)) })
            }
          />
        </label>
      </div>
      <button type="button" disabled={settings.temperature === 0} onClick={onAgain}>
        Draw again
      </button>
    </form>
  );
}
