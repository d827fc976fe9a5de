/** HTTPS. */
import https from 'node:https';
import { expect, it } from 'vitest';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import { serve } from '../../src/serve/index.ts';
import { writtenModel } from '../ai-sdk/written-model.ts';
import { cert, key } from '../support/tls-identity.ts';
import { anyFormat } from './served-models.ts';

it('the server serves HTTPS, and answers to the names of this machine', async () => {
  const server = await serve(writtenModel(anyFormat, []), { port: 0, tls: { cert, key } });
  expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const body = await new Promise<string>((resolve, reject) => {
    const url = `${server.url}/v1/models`.replace('127.0.0.1', 'localhost');
    const read = (response: NodeJS.ReadableStream): void => {
      let text = '';
      response.on('data', (data) => (text += String(data))).on('end', () => resolve(text));
    };
    https.get(url, { ca: cert, family: 4 }, read).on('error', reject);
  });
  expect(JSON.parse(body)).toMatchObject({ data: [{ id: 'written' }] });
  await server.close();
});

it('the server refuses half an identity', async () => {
  const served = serve(writtenModel(anyFormat, []), { port: 0, tls: { cert } as never });
  await expect(served).rejects.toThrow(UnsupportedOptionError);
});
