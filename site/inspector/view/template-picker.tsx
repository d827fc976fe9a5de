/** The ways in which a template gets into the page. */
import { useId } from 'preact/hooks';
import type { TemplateInput } from '../core/inspect-template.ts';
import { readTemplateFile } from '../core/read-file.ts';
import { explain } from './use-inspection.ts';

/** What can be picked, and who is told. */
export interface TemplatePickerProps {
  readonly label: string;
  readonly templates: readonly TemplateInput[];
  /** Name of the template that is shown. */
  readonly picked?: string;
  readonly onPick: (input: TemplateInput) => void;
  readonly onProblem: (problem: string) => void;
}

/** A list of known templates, and a file of one's own. */
export function TemplatePicker({ label, templates, picked = '', onPick, onProblem }: TemplatePickerProps) {
  const id = useId();
  return (
    <div class="picker">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={templates.some(({ name }) => name === picked) ? picked : ''}
        onChange={({ currentTarget }) => {
          const chosen = templates.find(({ name }) => name === currentTarget.value);
          if (chosen !== undefined) onPick(chosen);
        }}
      >
        <option value="">a known model…</option>
        {templates.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <label class="button">
        or a file…
        <input
          type="file"
          class="unseen"
          accept=".jinja,.jinja2,.j2,.json,.gguf,.txt"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file === undefined) return;
            readTemplateFile(file).then(onPick, (error: unknown) => onProblem(explain(error)));
            currentTarget.value = '';
          }}
        />
      </label>
    </div>
  );
}
