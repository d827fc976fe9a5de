/** Four bodies of 30 MB, one after the other, take less memory than all of them would: each is gone when the next comes. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { finishInTurns } from '../../../src/language/expression/steps.ts';
import { readBodyBytes } from '../../../src/serve/body/body-bytes.ts';
import { parseInSteps } from '../../../src/serve/body/parse-in-steps.ts';
import { bundledScript } from '../../support/bundled-script.ts';

describe('four bodies of 30 MB', () => {
  it.each(['a text', 'a text that is not ASCII', 'escapes', 'many fields'])('of %s', (kind) => {
    const script = bundledScript('test/support/large-body-process.ts');
    const grown = Number(execFileSync(process.execPath, [script, kind], { encoding: 'utf8' }));
    expect(grown).toBeGreaterThan(0);
    // When garbage goes is up to V8; all four at once would take more than 240.
    expect(grown).toBeLessThan(170);
  });
});

it('the bytes are given back, and what was read of them stays', async () => {
  const said = { text: 'x'.repeat(100_000), other: 'ü'.repeat(100_000), list: [1.5] };
  const request = new Request('http://localhost/', { method: 'POST', body: JSON.stringify(said) });
  const body = await readBodyBytes(request, { maxBodyBytes: 1_000_000, bodyTimeoutMs: 60_000 });
  expect(body.bytes.length).toBe(Buffer.byteLength(JSON.stringify(said)));
  const { value } = await finishInTurns(parseInSteps(body.bytes));
  body.release();
  expect(body.bytes.length).toBe(0);
  expect(value).toEqual(said);
});
