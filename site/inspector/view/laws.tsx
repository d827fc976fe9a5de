/** The laws, tried on the template in the page. */
import { useState } from 'preact/hooks';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { TemplateInput } from '../core/inspect-template.ts';
import type { TriedLaws } from '../core/tried-laws.ts';
import type { WorkerClient } from '../core/worker-client.ts';
import { TwoTexts } from './two-texts.tsx';
import { explain } from './use-inspection.ts';

/** What is tried. */
export interface LawsProps {
  readonly input: TemplateInput;
  readonly format: ChatFormat;
  readonly client: WorkerClient;
}

/** A button, and what came of it. */
export function Laws({ input, format, client }: LawsProps) {
  const [outcome, setOutcome] = useState<TriedLaws | string | null>(null);
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

function Outcome({ outcome }: { readonly outcome: TriedLaws | string }) {
  if (typeof outcome === 'string') return <p class="problem">{outcome}</p>;
  const { holds, rendered, refused, breaches } = outcome;
  return (
    <>
      <p class={holds ? 'good' : 'problem'}>
        {holds ? '✓ All laws hold' : '✗ Not all laws hold'} for {rendered} messages; the template refuses{' '}
        {refused}, or shows nothing of them.
      </p>
      {breaches.map(({ law, case: name, message, expected, actual }, index) => (
        <details key={`${law}${name}`} open={index === 0}>
          <summary>
            {law}: {name}
          </summary>
          <TwoTexts
            one={{ caption: 'what should have come', text: expected }}
            other={{ caption: 'what came', text: actual }}
          />
          <p class="hint">The message: {message === null ? null : <code>{JSON.stringify(message)}</code>}</p>
        </details>
      ))}
    </>
  );
}
