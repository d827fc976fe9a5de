/** Collects the parts of a stream into one result. */
import type {
  LanguageModelV3Content,
  LanguageModelV3GenerateResult,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider';

type Region = { readonly type: 'text' | 'reasoning'; text: string };

/** Reads a stream of `partsOf` to its end. Rejects with whatever ends it early. */
export async function collectParts(
  parts: AsyncIterable<LanguageModelV3StreamPart>,
): Promise<LanguageModelV3GenerateResult> {
  const content: LanguageModelV3Content[] = [];
  const regions = new Map<string, Region>();
  let result: Partial<LanguageModelV3GenerateResult> = {};
  for await (const part of parts) {
    if (part.type === 'text-start' || part.type === 'reasoning-start') {
      const region: Region = { type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' };
      regions.set(part.id, region);
      content.push(region);
    } else if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
      const region = regions.get(part.id);
      if (region !== undefined) region.text += part.delta;
    } else if (part.type === 'tool-call') {
      content.push(part);
    } else {
      result = { ...result, ...partFields(part) };
    }
  }
  const { finishReason, usage, warnings = [], ...rest } = result;
  if (finishReason === undefined || usage === undefined) throw new Error('the response has no end');
  return { ...rest, content: content.filter(isFilled), finishReason, usage, warnings };
}

function partFields(part: LanguageModelV3StreamPart): Partial<LanguageModelV3GenerateResult> {
  if (part.type === 'stream-start') return { warnings: part.warnings };
  if (part.type === 'response-metadata') {
    const { type: _, ...response } = part;
    return { response };
  }
  if (part.type !== 'finish') return {};
  const { type: _, ...end } = part;
  return end;
}

function isFilled(part: LanguageModelV3Content): boolean {
  return (part.type !== 'text' && part.type !== 'reasoning') || part.text !== '';
}
