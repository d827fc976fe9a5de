/** What the AI SDK is told of a response beside its parts: in the provider's metadata of the end. */
import { expect, it } from 'vitest';
import { StreamParts } from '../../src/ai-sdk/stream-parts.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { jsonInTags } from '../support/sample-formats.ts';

function metadataOf(text: string) {
  const parser = createResponseParser(jsonInTags);
  const stream = new StreamParts();
  const parts = [...parser.feed(text), ...parser.finish().events].flatMap((event) => stream.next(event));
  return parts.flatMap((part) => (part.type === 'finish' ? [part.providerMetadata] : []));
}

it('says what was repaired, and in which call', () => {
  expect(metadataOf('<use>\n{"name": "add", "parameters": {"a": 3}}\n</use>')).toEqual([
    {
      idiolect: {
        repaired: [
          {
            law: 'arguments-key',
            detail: 'the arguments stand under "parameters"',
            toolCallId: 'call_0',
          },
        ],
      },
    },
  ]);
});

it('says nothing of a response as the format has it', () => {
  expect(metadataOf('<use>\n{"name": "add", "arguments": {"a": 3}}\n</use>')).toEqual([undefined]);
});
