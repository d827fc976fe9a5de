/** What a template is, at a glance. */
import type { Analysis } from '../../../src/analysis/analyze-template.ts';

/** Labels, capabilities and doubts. */
export function Overview({ analysis }: { readonly analysis: Analysis }) {
  const { format, capabilities, warnings, selfCheck } = analysis;
  const { labels } = format;
  return (
    <div class="overview">
      <dl>
        <Label name="tool calls">{labels.toolFormat ?? 'none'}</Label>
        <Label name="reasoning">{labels.reasoningMode}</Label>
        <Label name="content">{labels.contentMode}</Label>
        <Label name="self-check">
          {selfCheck.exact} of {selfCheck.compared} renders, byte for byte
        </Label>
        <Label name="fingerprint">
          <code title={format.templateSha256}>{format.templateSha256.slice(0, 16)}…</code>
        </Label>
      </dl>
      <ul class="flags" aria-label="Capabilities">
        {Object.entries(capabilities).map(([flag, holds]) => (
          <li key={flag} class={holds ? 'yes' : 'no'}>
            <span aria-hidden="true">{holds ? '✓' : '✗'}</span>
            <span class="unseen">{holds ? 'yes: ' : 'no: '}</span> {flagName(flag)}
          </li>
        ))}
      </ul>
      {warnings.map(({ field, kind, message }) => (
        <p key={`${field}${message}`} class="doubt">
          <strong>{kind}</strong> <code>{field}</code>: {message}
        </p>
      ))}
    </div>
  );
}

function Label({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** `supportsToolCalls` becomes `tool calls`. */
function flagName(flag: string): string {
  return flag
    .replace(/^supports/, '')
    .replace(/\B[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase();
}
