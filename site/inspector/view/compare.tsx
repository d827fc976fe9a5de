/** Two formats side by side: what differs. */
import { knownTemplates } from 'virtual:known-templates';
import { useMemo, useState } from 'preact/hooks';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import { compareFormats } from '../core/compare-formats.ts';
import type { TemplateInput } from '../core/inspect-template.ts';
import type { WorkerClient } from '../core/worker-client.ts';
import { scrolling } from './scrolling.ts';
import { TemplatePicker } from './template-picker.tsx';
import { explain } from './use-inspection.ts';

/** The format that others are compared with. */
export interface CompareProps {
  readonly name: string;
  readonly format: ChatFormat;
  readonly client: WorkerClient;
}

/** A choice of a second template, and the fields in which its format differs. */
export function Compare({ name, format, client }: CompareProps) {
  const [other, setOther] = useState<{ readonly name: string; readonly format: ChatFormat } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const differences = useMemo(
    () => (other === null ? [] : compareFormats(format, other.format)),
    [format, other],
  );
  const pick = async (input: TemplateInput) => {
    setProblem(null);
    try {
      const inspection = await client.ask('inspect', input);
      if (inspection !== null) setOther({ name: input.name, format: inspection.analysis.format });
    } catch (error) {
      setProblem(explain(error));
    }
  };
  return (
    <>
      <TemplatePicker
        label="Compare with"
        templates={knownTemplates}
        picked={other?.name ?? ''}
        onPick={pick}
        onProblem={setProblem}
      />
      {problem === null ? null : <p class="problem">{problem}</p>}
      {other === null ? null : (
        <div class="scroll" {...scrolling('Differences')}>
          <table>
            <caption>{differences.length} fields differ</caption>
            <thead>
              <tr>
                <th scope="col">field</th>
                <th scope="col">{name}</th>
                <th scope="col">{other.name}</th>
              </tr>
            </thead>
            <tbody>
              {differences.map(({ path, one, other: theirs }) => (
                <tr key={path}>
                  <th scope="row">{path}</th>
                  <td>{one === undefined ? '–' : <code>{one}</code>}</td>
                  <td>{theirs === undefined ? '–' : <code>{theirs}</code>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
