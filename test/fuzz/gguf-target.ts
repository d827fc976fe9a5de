/** Model files: a small one, some of whose bytes and numbers are others, checked as before it is loaded. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { checkModelFile } from '../../src/hub/gguf/check-model-file.ts';
import { ggufBytes, headerBytes, tinyParts } from '../support/gguf-parts.ts';
import { type FuzzTarget, typed } from './fuzz-target.ts';

/** Bytes, in hexadecimal, that stand at a place or are put in there; or where the file ends. */
type Change =
  | { readonly at: number; readonly bytes: string }
  | { readonly put: number; readonly bytes: string }
  | { readonly end: number };

const parts = tinyParts('{{ messages[0].content }}');
const honest = ggufBytes(parts);
const headerLength = headerBytes(parts).length;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-fuzz-'));
process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

/** Where lengths and counts stand: after each text of the header that can be read. */
const places = Array.from(
  honest.toString('latin1', 0, headerLength).matchAll(/[\w.]{4,}/g),
  ({ index, 0: word }) => [index - 8, index, index + word.length, index + word.length + 4],
).flat();

const at = fc.oneof(fc.nat(headerLength), fc.constantFrom(4, 8, 16, ...places.filter((place) => place > 0)));
const integer = fc.constantFrom(
  ...[0n, 1n, 2n, 31n, 32n, 33n, 255n, 256n, 65_536n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n],
  ...[2n ** 63n, 2n ** 64n - 1n, BigInt(headerLength), BigInt(honest.length), BigInt(honest.length - 1)],
);

function hex(value: bigint, width: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes.toString('hex', 0, width);
}

const bytes = fc.oneof(
  fc.tuple(integer, fc.constantFrom(4, 8)).map(([value, width]) => hex(value, width)),
  fc.nat(13).map((type) => hex(BigInt(type), 4)),
  fc.nat(255).map((value) => hex(BigInt(value), 1)),
  fc.uint8Array({ maxLength: 16 }).map((random) => Buffer.from(random).toString('hex')),
);
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ at, bytes }) },
  { weight: 2, arbitrary: fc.record({ put: at, bytes }) },
  { weight: 1, arbitrary: fc.record({ end: fc.oneof(at, fc.nat(honest.length)) }) },
);

function applied(file: Buffer, changed: Change): Buffer {
  if ('end' in changed) return file.subarray(0, changed.end);
  const added = Buffer.from(changed.bytes, 'hex');
  if ('put' in changed)
    return Buffer.concat([file.subarray(0, changed.put), added, file.subarray(changed.put)]);
  return Buffer.concat([file.subarray(0, changed.at), added, file.subarray(changed.at + added.length)]);
}

/** See the top of this file. Inputs are lists of changes. */
export const gguf: FuzzTarget = {
  seeds: ['[]'],
  near: (input) => {
    const before = JSON.parse(input) as readonly Change[];
    return fc.array(change, { maxLength: 4 }).map((changes) => JSON.stringify([...before, ...changes]));
  },
  attempt: async (input) => {
    const changes = JSON.parse(input) as readonly Change[];
    const file = path.join(folder, 'model.gguf');
    fs.writeFileSync(file, changes.reduce(applied, Buffer.from(honest)));
    await typed(() => checkModelFile(file));
  },
};
