/** What responses are asked for with. */
import { exampleTools } from '../core/tool-text.ts';
import type { Settings } from './use-chat.ts';

/** The settings, with the tools as they are typed. */
export interface Choices extends Omit<Settings, 'tools'> {
  readonly toolText: string;
}

/** The fields; folded on narrow screens. */
export function SettingsPanel({
  choices,
  problem,
  onChange,
}: {
  readonly choices: Choices;
  readonly problem: string | null;
  readonly onChange: (choices: Choices) => void;
}) {
  const isWide = matchMedia('(min-width: 60rem)').matches;
  return (
    <details class="settings panel" open={isWide}>
      <summary>Tools and settings</summary>
      <label>
        <span>Tools, as JSON</span>
        <textarea
          rows={14}
          spellcheck={false}
          class="code"
          value={choices.toolText}
          placeholder="[ ]"
          onInput={({ currentTarget }) => onChange({ ...choices, toolText: currentTarget.value })}
        />
      </label>
      <div role="alert">{problem !== null && <p class="problem">{problem}</p>}</div>
      {choices.toolText === '' && (
        <button type="button" onClick={() => onChange({ ...choices, toolText: exampleTools })}>
          Insert an example
        </button>
      )}
      <label>
        <span>Tool calls</span>
        <select
          value={choices.toolChoice}
          onChange={({ currentTarget }) =>
            onChange({ ...choices, toolChoice: currentTarget.value as Choices['toolChoice'] })
          }
        >
          <option value="auto">automatic</option>
          <option value="required">required</option>
          <option value="none">none</option>
        </select>
      </label>
      <label>
        <span>Maximum tokens</span>
        <input
          type="number"
          min={1}
          value={choices.maxTokens ?? ''}
          placeholder="no limit"
          onInput={({ currentTarget }) =>
            onChange({
              ...choices,
              maxTokens: currentTarget.value === '' ? null : currentTarget.valueAsNumber,
            })
          }
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={choices.thinks}
          onChange={({ currentTarget }) => onChange({ ...choices, thinks: currentTarget.checked })}
        />
        <span>Allow thinking</span>
      </label>
    </details>
  );
}
