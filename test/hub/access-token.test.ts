import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findAccessToken } from '../../src/hub/hub-client.ts';

function homeWithToken(): string {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-token-'));
  onTestFinished(() => fs.rmSync(home, { recursive: true }));
  fs.writeFileSync(path.join(home, 'token'), 'hf_stored\n');
  return home;
}

describe('the access token', () => {
  test('is that of the environment before any other', () => {
    expect(findAccessToken({ HF_TOKEN: ' hf_given ', HF_HOME: homeWithToken() })).toBe('hf_given');
  });

  test('is what a login stored, where the environment has none', () => {
    const home = homeWithToken();
    expect(findAccessToken({ HF_TOKEN: '', HF_HOME: home })).toBe('hf_stored');
    expect(findAccessToken({ HF_TOKEN_PATH: path.join(home, 'token') })).toBe('hf_stored');
  });

  test('is none where nobody has logged in', () => {
    expect(findAccessToken({ HF_HOME: path.join(os.tmpdir(), 'idiolect-no-such-folder') })).toBeNull();
  });
});
