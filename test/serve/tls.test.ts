/** HTTPS, with a certificate of this test alone. */
import https from 'node:https';
import { expect, it } from 'vitest';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import { serve } from '../../src/serve/index.ts';
import { writtenModel } from '../ai-sdk/written-model.ts';
import { anyFormat } from './served-models.ts';

/** For localhost, self-signed; nothing else trusts it. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUGRvyhH8o1LkNdFDrAAZJdUpn3GMwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyNjA1MjMxNFoYDzIxMjYxMTAy
MDUyMzE0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATAsNOSeFPXKkBgRy2Pj1WwbH1q9bztYMiD+zd93lz6nK3KmQ/6fpmw
UojHCCL2XhSi1cd+n6/9VZMydfRxugtXo28wbTAdBgNVHQ4EFgQUf9UFxz/mUWkj
3ZTxzGEDxwA6RfowHwYDVR0jBBgwFoAUf9UFxz/mUWkj3ZTxzGEDxwA6RfowDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgOynRdF/PuZBAYvfYDtZAmHCigwcotoSr7Rm6ukmw7RgCIQDO
gcef3Jmevv5IO6EO7StbqeJApwfBjXZpc9/Tz7BuHQ==
-----END CERTIFICATE-----
`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgKplqeEq7fmjnWFDC
FUymsUIi8bO89VYzzWwRp2SxGCuhRANCAATAsNOSeFPXKkBgRy2Pj1WwbH1q9bzt
YMiD+zd93lz6nK3KmQ/6fpmwUojHCCL2XhSi1cd+n6/9VZMydfRxugtX
-----END PRIVATE KEY-----
`;

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
