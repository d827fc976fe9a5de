/** What a template is, at a glance. */
import type { Analysis } from '../../../src/analysis/analysis.ts';
import type { FormatLabels, ReasoningModeLabel, ToolFormatLabel } from '../../../src/format/chat-format.ts';

/** Labels, capabilities and doubts. */
export function Overview({ analysis }: { readonly analysis: Analysis }) {
  const { format, capabilities, warnings, selfCheck } = analysis;
  const { labels } = format;
  return (
    <div class="overview">
      <dl>
        <Label name="tool calls" means={toolFormats[labels.toolFormat ?? 'none']}>
          {labels.toolFormat ?? 'none'}
        </Label>
        <Label name="reasoning" means={reasoningModes[labels.reasoningMode]}>
          {labels.reasoningMode}
        </Label>
        <Label name="content" means={contentModes[labels.contentMode]}>
          {labels.contentMode}
        </Label>
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

/** The field's names for notations, each with a sample. */
const toolFormats: Readonly<Record<ToolFormatLabel | 'none', string>> = {
  none: 'no calls are read from this template',
  JSON_NATIVE: '{"name": "f", "arguments": {…}}',
  TAG_WITH_JSON: '<function=f>{…}</function>',
  TAG_WITH_TAGGED: '<function=f><parameter=a>1</parameter></function>',
  BRACKET_TAG: '[TOOL_CALLS]f[ARGS]{…}',
  PREFIXED_INDEXED: 'functions.f:0 and then {…}',
  RECIPIENT_BASED: 'to=functions.f and then {…}',
  MARKDOWN_BLOCK: '```json [{…}] ```',
  PYTHONIC: "[f(a='x', b=1)]",
};

const reasoningModes: Readonly<Record<ReasoningModeLabel, string>> = {
  none: 'no thoughts are read from this template',
  'tag-based': 'thoughts stand between two markers',
  delimiter: 'only their end is marked',
  'forced-open': 'the prompt opens them',
  'forced-closed': 'between two markers; the prompt can close them, which turns thinking off',
  'tools-only': 'kept in the conversation only next to calls',
};

const contentModes: Readonly<Record<FormatLabels['contentMode'], string>> = {
  plain: 'the answer has no markers of its own',
  'always-wrapped': 'the answer stands between markers',
  'wrapped-with-reasoning': 'between markers if thoughts come before it',
};

interface LabelProps {
  readonly name: string;
  /** What the value means, in a line. */
  readonly means?: string;
  readonly children: preact.ComponentChildren;
}

function Label({ name, means, children }: LabelProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children} {means === undefined ? null : <small>{means}</small>}
      </dd>
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
