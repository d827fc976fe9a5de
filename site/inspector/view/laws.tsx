/** The laws, tried on the template in the page. */
import { useState } from 'preact/hooks';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { Verification } from '../../../src/generate/verify/verify-template.ts';
import type { TemplateInput } from '../core/inspect-template.ts';
import type { WorkerClient } from '../core/worker-client.ts';
import { explain } from './use-inspection.ts';

/** What is tried. */
export interface LawsProps {
  readonly input: TemplateInput;
  readonly format: ChatFormat;
  readonly client: WorkerClient;
}

/** A button, and what came of it. */
export function Laws({ input, format, client }: LawsProps) {
  const [outcome, setOutcome] = useState<Verification | string | null>(null);
  const [busy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    setOutcome(await client.ask('laws', { input, format }).catch(explain));
    setBusy(false);
  };
  return (
    <>
      <p>
        What the format writes equals what the template renders; it parses back to the message, however it is
        cut; no character is lost; the grammar accepts it.
      </p>
      <button type="button" onClick={run} disabled={busy}>
        {busy ? 'Trying…' : 'Try the laws on this template'}
      </button>
      <div role="status">{outcome === null ? null : <Outcome outcome={outcome} />}</div>
    </>
  );
}

function Outcome({ outcome }: { readonly outcome: Verification | string }) {
  if (typeof outcome === 'string') return <p class="problem">{outcome}</p>;
  const { holds, rendered, refused, breaches } = outcome;
  return (
    <>
      <p class={holds ? 'good' : 'problem'}>
        {holds ? '✓ All laws hold' : '✗ Not all laws hold'} for {rendered} messages; the template refuses{' '}
        {refused}, or shows nothing of them.
      </p>
      {breaches.map(({ law, case: name, ...breach }) => (
        <details key={`${law}${name}`}>
          <summary>
            {law}: {name}
          </summary>
          <pre>{JSON.stringify(breach, null, 2)}</pre>
        </details>
      ))}
    </>
  );
}
