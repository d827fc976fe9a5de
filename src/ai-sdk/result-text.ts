/** The result of a tool, as the model reads it. */
import type { LanguageModelV3ToolResultPart, SharedV3Warning } from '@ai-sdk/provider';
import { describeFile } from '../tools/describe-file.ts';

type Output = LanguageModelV3ToolResultPart['output'];
type ContentPart = Extract<Output, { type: 'content' }>['value'][number];
type Warn = (warning: SharedV3Warning) => void;

/** Text unchanged, anything else as JSON; errors and denials are marked as such. */
export function resultText(output: Output, warn: Warn): string {
  switch (output.type) {
    case 'text':
      return output.value;
    case 'json':
      return JSON.stringify(output.value);
    case 'error-text':
      return `Error: ${output.value}`;
    case 'error-json':
      return `Error: ${JSON.stringify(output.value)}`;
    case 'execution-denied':
      return `Error: the call was denied${output.reason === undefined ? '' : `: ${output.reason}`}`;
    case 'content':
      return output.value.map((part) => partText(part, warn)).join('\n');
  }
}

function partText(part: ContentPart, warn: Warn): string {
  if (part.type === 'text') return part.text;
  const details = 'the model is told its name and type instead';
  warn({ type: 'unsupported', feature: `a part of type "${part.type}" in a tool's result`, details });
  if (part.type === 'file-data' || part.type === 'image-data') return describeFile(part).text;
  if (part.type === 'file-url' || part.type === 'image-url') {
    return describeFile({ mediaType: mediaTypeOf(part), data: new URL(part.url) }).text;
  }
  return `[${part.type}]`;
}

function mediaTypeOf(part: { readonly type: string; readonly mediaType?: string }): string {
  return part.mediaType ?? (part.type.startsWith('image') ? 'image/*' : 'application/octet-stream');
}
