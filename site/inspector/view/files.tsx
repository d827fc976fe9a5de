/** The files that are generated for a format, in tabs. */
import { useEffect, useState } from 'preact/hooks';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { Conversation } from '../core/inspect-template.ts';
import type { MadeFile } from '../core/requests.ts';
import type { WorkerClient } from '../core/worker-client.ts';
import { scrolling } from './scrolling.ts';
import { explain } from './use-inspection.ts';

/** What the files are made of. */
export interface FilesProps {
  readonly format: ChatFormat;
  readonly conversation: Conversation;
  readonly client: WorkerClient;
}

/** Tabs that are moved through with the arrow keys. */
export function Files({ format, conversation, client }: FilesProps) {
  const [files, setFiles] = useState<readonly MadeFile[]>([]);
  const [chosen, choose] = useState('parser.ts');
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    client.ask('files', { format, conversation }).then(
      (made) => made === null || setFiles(made),
      (error: unknown) => setProblem(explain(error)),
    );
  }, [format, conversation, client]);
  const active = files.find(({ name }) => name === chosen) ?? files[0];
  if (problem !== null) return <p class="problem">{problem}</p>;
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined || active === undefined) return;
    const next = files[(files.indexOf(active) + step + files.length) % files.length];
    if (next === undefined) return;
    choose(next.name);
    document.getElementById(`tab-${next.name}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label="Generated files">
        {files.map(({ name }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={name === active?.name}
            aria-controls="made-file"
            tabIndex={name === active?.name ? 0 : -1}
            onClick={() => choose(name)}
            onKeyDown={move}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="made-file" role="tabpanel" aria-labelledby={`tab-${active?.name}`}>
        <pre class="file" {...scrolling('Text of the file')}>
          {active?.text}
        </pre>
      </div>
    </>
  );
}
