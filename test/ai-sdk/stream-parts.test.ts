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

it('the metadata of the end says what was repaired, and in which call', () => {
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

it('the metadata of the end says what may be a call, and where', () => {
  const stream = new StreamParts();
  stream.next({ type: 'possible-call', toolName: 'add', at: 7, start: 20, end: 20 });
  const [finish] = stream.next({ type: 'finish', reason: 'stop', start: 20, end: 20 });
  expect(finish).toMatchObject({
    providerMetadata: { idiolect: { possibleCalls: [{ toolName: 'add', at: 7 }] } },
  });
});

it('the metadata of the end says nothing of a response as the format has it', () => {
  expect(metadataOf('<use>\n{"name": "add", "arguments": {"a": 3}}\n</use>')).toEqual([undefined]);
});
