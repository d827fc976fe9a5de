import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as errors from '../../src/hub/errors.ts';
import { pullModel } from '../../src/hub/pull-model.ts';
import type { Fault, SeenRequest } from '../support/fake-hub.ts';
import { observeWords, startFixture, toolModel } from './hub-fixture.ts';

const model = toolModel(70_000);
const one = { 'org/model': { files: { 'README.md': Buffer.from('x'), 'model-Q4_K_M.gguf': model } } };

/** Requests that carry bytes of models. */
const isData = ({ host, range }: SeenRequest): boolean => host === 'cdn' && range !== null;

describe('who asks', () => {
  const secret = 'hf_secret0123456789';

  test('a person without a token on a gated model gets one sentence that says what to do', async () => {
    const { pull, hub } = await startFixture({
      repositories: { 'org/model': { files: { 'm.gguf': model }, gated: true } },
    });
    const error = await pull('org/model').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(errors.GatedModelError);
    expect(String(error)).toContain(`${hub.endpoint}/org/model`);
    expect(String(error)).toMatch(/HF_TOKEN/);
    expect(hub.requests).toHaveLength(1);
  });

  test.each([
    ['no token, private', null, { private: true }, errors.ModelNotFoundError],
    ['a wrong token', 'hf_wrong', {}, errors.HubUnauthorizedError],
    ['terms not accepted', 'hf_new', { gated: true }, errors.LicenceNotAcceptedError],
  ])('%s', async (_name, token, access, expected) => {
    const repositories = { 'org/model': { files: { 'm.gguf': model }, ...access } };
    const { pull } = await startFixture({ repositories, tokens: { hf_new: { accepted: false } } });
    await expect(pull('org/model', { token })).rejects.toBeInstanceOf(expected);
  });

  test('the token goes to the Hub alone, from the environment too, whatever its form', async () => {
    const repositories = { 'org/model': { files: { 'm.gguf': model }, gated: true } };
    const { hub, cache } = await startFixture({
      repositories,
      tokens: { 'proxy-token': { accepted: true } },
    });
    vi.stubEnv('HF_TOKEN', 'proxy-token');
    vi.stubEnv('HF_ENDPOINT', `${hub.endpoint}/`);
    onTestFinished(() => void vi.unstubAllEnvs());
    await pullModel('org/model', { observe: observeWords, cache });
    const told = hub.requests.filter(({ authorization }) => authorization !== null);
    expect(told.map(({ host }) => host)).not.toContain('cdn');
    expect(told.length).toBeGreaterThan(2);
    expect(hub.requests.filter(isData).length).toBeGreaterThan(1);
  });

  test('facts about a model from another host are refused, and the token stays here', async () => {
    const { pull, hub } = await startFixture({ repositories: one, tokens: { [secret]: { accepted: true } } });
    for (const call of ['/revision/', '/tree/']) {
      hub.requests.length = 0;
      hub.fault = ({ host, path: url }) =>
        host === 'hub' && url.includes(call)
          ? { type: 'redirect', to: `http://${hub.cdnHost}${url}` }
          : undefined;
      await expect(pull('org/model', { token: secret })).rejects.toBeInstanceOf(errors.UnsafeRedirectError);
      expect(hub.requests.filter(({ host }) => host === 'cdn')).toEqual([]);
    }
  });

  test('a renamed model is followed within the Hub', async () => {
    const { pull, hub } = await startFixture({ repositories: { ...one } });
    hub.fault = ({ path: url }) =>
      url.includes('/old/') ? { type: 'redirect', to: url.replace('/old/', '/org/') } : undefined;
    expect((await pull('old/model')).files).toHaveLength(1);
  });

  test('no error shows the token', async () => {
    const faults: Fault[] = [
      { type: 'html' },
      { type: 'status', status: 401 },
      { type: 'status', status: 403, headers: { 'x-error-code': 'GatedRepo' } },
      { type: 'status', status: 418 },
      { type: 'cut', after: 0 },
      { type: 'redirect', to: 'file:///etc/passwd' },
    ];
    const { pull, hub } = await startFixture({ repositories: one, tokens: { [secret]: { accepted: true } } });
    for (const fault of faults) {
      hub.fault = () => fault;
      const error = await pull('org/model', { token: secret }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(JSON.stringify(unfold(error))).not.toContain(secret);
    }
  });
});

/** Everything that an error carries, its causes included. */
function unfold(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  return [error.name, error.message, error.stack, { ...error }, unfold(error.cause)];
}

describe('what the Hub does not have', () => {
  test.each<[string, string, new (...facts: never[]) => Error]>([
    ['no such model', 'org/other', errors.ModelNotFoundError],
    ['no such revision', 'org/model@v9', errors.RevisionNotFoundError],
    ['no such quantisation', 'org/model:Q2_K', errors.FileNotFoundError],
    ['no GGUF', 'org/empty', errors.NoGgufError],
    ['no id', '../etc', errors.ModelReferenceError],
  ])('%s', async (_name, reference, expected) => {
    const repositories = { ...one, 'org/empty': { files: { 'model.safetensors': model } } };
    const { pull } = await startFixture({ repositories });
    await expect(pull(reference)).rejects.toBeInstanceOf(expected);
  });

  test('time for us: the wait is told', async () => {
    const { pull, hub } = await startFixture({ repositories: one });
    hub.fault = () => ({ type: 'status', status: 429, headers: { 'retry-after': '240' } });
    await expect(pull('org/model')).rejects.toMatchObject({ code: 'rate-limited', waitSeconds: 240 });
    hub.fault = () => ({ type: 'status', status: 429, headers: { ratelimit: '"api";r=0;t=55' } });
    await expect(pull('org/model')).rejects.toMatchObject({ waitSeconds: 55 });
    hub.fault = ({ host }) =>
      host === 'cdn' ? { type: 'status', status: 429, headers: { 'retry-after': '0' } } : undefined;
    await expect(pull('org/model')).rejects.toThrow();
  });

  test('a Hub that is down, is somebody else, or never ends is told as such', async () => {
    const { pull, hub } = await startFixture({ repositories: one });
    await expect(pull('org/model', { endpoint: 'http://127.0.0.1:1' })).rejects.toBeInstanceOf(
      errors.HubUnavailableError,
    );
    const answers: Fault[] = [
      { type: 'html' },
      { type: 'body', body: 'null' },
      { type: 'body', body: '{"sha": "../../x", "_id": 1}' },
      { type: 'redirect', to: '/loop' },
    ];
    for (const fault of answers) {
      hub.fault = () => fault;
      await expect(pull('org/model')).rejects.toBeInstanceOf(errors.HubUnavailableError);
    }
  });
});
