/** Law: each error is answered with a code of the page's table, with its status there, at the field that is at fault. */
import fs from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  CheckFailedError,
  ContextOverflowError,
  DecodingError,
  GrammarError,
  MessageError,
  ModelDisposedError,
  ModelFileError,
  SchemaError,
  type SchemaIssue,
  ServerError,
  TemplateError,
  ToolError,
  ToolListError,
  ToolsUnsupportedError,
  UnsupportedOptionError,
} from '../../src/format/errors.ts';
import {
  clientLeft,
  failureOf,
  invalid,
  RequestError,
  unanswerable,
  wrongModel,
} from '../../src/serve/errors.ts';
import { createHandler } from '../../src/serve/index.ts';

/** Statuses of the page's table by code. */
const statuses = new Map<string, Set<number>>();
const page = fs.readFileSync(new URL('../../docs/serve-options.md', import.meta.url), 'utf8');
for (const [, status = '', codes = ''] of page.matchAll(/^\| ([\d, ]+) \| (`[^|]+) \|/gm))
  for (const [, code = ''] of codes.matchAll(/`([a-z_]+)`/g))
    statuses.set(code, new Set([...(statuses.get(code) ?? []), ...status.split(',').map(Number)]));

const secret = '/home/ann/secret';
const issue = (tool: string): SchemaIssue => ({
  ...{ tool, pointer: '/x', keyword: 'pattern', effect: 'widened', reason: 'no' },
});
const template = (kind: 'syntax' | 'raised' | 'runtime') =>
  new TemplateError({ template: 't', reason: 'no', kind });
const upstream = (facts: object) => new ServerError({ url: secret, reason: 'no', ...facts });

const rows: readonly (readonly [what: string, error: unknown, code: string, param: string | null])[] = [
  ['a field', invalid('a.b', 'must be 1'), 'invalid_value', 'a.b'],
  ['a message', new MessageError({ path: 'messages[1]', reason: 'no' }), 'invalid_message', 'messages[1]'],
  ['length', new ContextOverflowError({ needed: 9, available: 5 }), 'context_length_exceeded', 'messages'],
  [
    'the schema of an answer',
    new SchemaError([issue(''), issue('')]),
    'invalid_json_schema',
    'response_format',
  ],
  ['the schema of a tool', new SchemaError([issue('a')]), 'invalid_function_parameters', 'tools'],
  ['a tool among schemas', new SchemaError([issue(''), issue('a')]), 'invalid_function_parameters', 'tools'],
  [
    'a list of tools',
    new ToolListError({ source: 's', reason: 'no', pointer: '/0/function/name' }),
    'invalid_tools',
    'tools[0].function.name',
  ],
  ['a tool', new ToolError({ tool: 'a', reason: 'no' }), 'invalid_tools', 'tools'],
  ['a grammar', new GrammarError({ reason: 'no' }), 'grammar_too_complex', 'tools'],
  [
    'a model without tools',
    new ToolsUnsupportedError({ model: 'm', template: null, capabilities: null }),
    'tools_unsupported',
    'tools',
  ],
  [
    'a value of an option',
    new UnsupportedOptionError({ option: 'topP', reason: 'must be 1' }),
    'invalid_value',
    'top_p',
  ],
  ['an option', new UnsupportedOptionError({ option: 'own', reason: 'no' }), 'unsupported_parameter', 'own'],
  ['a refusal of the template', template('raised'), 'conversation_refused', 'messages'],
  ['what a template cannot write', template('runtime'), 'conversation_refused', null],
  ['a model that is gone', new ModelDisposedError({ model: 'm' }), 'model_unloaded', 'model'],
  ['an engine that stops', new DecodingError({ reason: 'no', text: '' }), 'generation_failed', null],
  [
    'a value that stays wrong',
    new CheckFailedError({ tool: '', problems: [], tries: 8, text: secret }),
    'check_failed',
    null,
  ],
  ['a file', new ModelFileError({ file: secret, reason: 'no' }), 'model_file', 'model'],
  ['a server behind this one', upstream({ status: 500 }), 'upstream_error', null],
  ['a server without time', upstream({ status: 503, transient: true }), 'upstream_error', null],
  ['anything else', new Error(secret), 'internal_error', null],
  ['no error at all', secret, 'internal_error', null],
  ['another kind of model', wrongModel('no'), 'unsupported_question', 'model'],
  ['a question beyond the engine', unanswerable('no'), 'unsupported_question', null],
];

describe('an error of the server', () => {
  it.each(rows)(
    'about %s has the code and status of the page, and no secret',
    (_what, error, code, param) => {
      const failure = failureOf(error);
      expect([failure.code, failure.param]).toEqual([code, param]);
      expect([...(statuses.get(code) ?? [])]).toContain(failure.status);
      expect(failure.message).not.toBe('');
      expect(failure.message).not.toContain(secret);
      expect(failure).not.toHaveProperty('retryAfter');
    },
  );

  it('in a template itself is the operator’s: the model was opened with it', () => {
    expect(failureOf(template('syntax'))).toMatchObject({ status: 500, param: null });
  });

  it.each([
    [400, false, 400, true],
    [422, false, 400, true],
    [499, false, 502, true],
    [399, false, 502, false],
    [500, false, 502, false],
    [null, false, 502, false],
    [429, true, 503, false],
  ])(
    'of a server behind, with status %s and transient %s, is %s, and told as one of the request: %s',
    (status, transient, answered, isTold) => {
      const failure = failureOf(upstream({ status, transient }));
      expect(failure.status).toBe(answered);
      expect(failure.message.includes('no')).toBe(isTold);
    },
  );

  it.each([
    [undefined, undefined],
    [0, undefined],
    [1, 1],
    [1000, 1],
    [1001, 2],
  ])('says when to try again: after %s ms, %s s', (retryAfterMs, seconds) => {
    expect(
      failureOf(upstream({ transient: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }))
        .retryAfter,
    ).toBe(seconds);
    const own = { status: 429, reasonCode: 'queue_full', param: null, reason: 'later' };
    const asked = new RequestError(seconds === undefined ? own : { ...own, retryAfter: seconds });
    expect(failureOf(asked).retryAfter).toBe(seconds);
    expect(Object.hasOwn(failureOf(asked), 'retryAfter')).toBe(seconds !== undefined);
  });

  it('about a value that stays wrong tells who asked for it what is wrong', () => {
    const problems = [{ pointer: '/1', keyword: 'uniqueItems', message: '24 came before' }];
    const error = new CheckFailedError({ tool: '', problems, tries: 8, text: '[24,24' });
    expect(failureOf(error).message).toMatch(/\(uniqueItems\).*; 24 came before$/);
  });

  it.each([
    [400, false],
    [422, false],
    [401, true],
    [404, true],
    [503, true],
    [null, true],
  ])(
    'of a server behind, with status %s, is told to the operator in its words: %s',
    async (status, isTold) => {
      const error = new ServerError({
        url: 'http://u',
        status,
        reason: 'bad input: hush',
        transient: status === 503,
      });
      const told: unknown[] = [];
      const fails = (): never => {
        throw error;
      };
      const handler = createHandler(
        { name: 'm', chat: fails, preview: fails },
        { onError: (each) => told.push(each) },
      );
      const body = JSON.stringify({ messages: [{ role: 'user', content: 'hush' }] });
      for (const path of ['/v1/chat/completions', '/apply-template']) {
        const headers = { 'content-type': 'application/json' };
        const response = await handler(
          new Request(`http://localhost${path}`, { method: 'POST', headers, body }),
        );
        // Its client is told what is wrong with its own request.
        if (!isTold) expect(await response.text()).toContain('bad input: hush');
      }
      expect(told).toHaveLength(2);
      for (const each of told) {
        expect(each).toMatchObject({ code: 'server', url: 'http://u', status });
        expect(inspect(each).includes('hush')).toBe(isTold);
      }
    },
  );

  it('that nobody reads has a status that no page promises', () => {
    expect([...statuses.values()].some((each) => each.has(clientLeft.status))).toBe(false);
  });
});
