/** What was asked of a model whose response was recorded. */
import { type Recording, recordings } from '../core/recordings.ts';

/** The recording, and who is told of another one, or of the wish to see it again. */
export interface RecordedProps {
  readonly recording: Recording;
  readonly onRecording: (recording: Recording) => void;
  readonly onReplay: () => void;
}

/** The panel at the left. Nothing of it can be changed but the model. */
export function Recorded({ recording, onRecording, onReplay }: RecordedProps) {
  const { model, sha256, asked, size } = recording;
  return (
    <form class="panel" onSubmit={(event) => event.preventDefault()} aria-labelledby="recorded-title">
      <h2 id="recorded-title">Model and question</h2>
      <label for="model">Model</label>
      <select
        id="model"
        value={model}
        onChange={({ currentTarget }) => {
          const chosen = recordings.find((each) => each.model === currentTarget.value);
          if (chosen !== undefined) onRecording(chosen);
        }}
      >
        {recordings.map((each) => (
          <option key={each.model}>{each.model}</option>
        ))}
      </select>
      <label for="asked">Question</label>
      <textarea id="asked" readOnly rows={3} value={asked.question} />
      <label for="offered">Tool, with a JSON Schema</label>
      <textarea id="offered" readOnly rows={19} value={asked.tool} />
      <p class="about">
        Recorded with node-llama-cpp at temperature {asked.temperature}, tool choice {asked.choice}, from the
        GGUF file with SHA-256 <code title={sha256}>{sha256.slice(0, 12)}…</code> The probabilities are those
        of all {size.toLocaleString('en')} tokens.
      </p>
      <button type="button" onClick={onReplay}>
        Play it again
      </button>
    </form>
  );
}
