/** Law: what users and models wrote is a fact of an error at most: whatever prints or logs the error does not show it. */
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { reportError } from '../../src/cli/report-error.ts';
import * as errors from '../../src/format/errors.ts';
import { parseWithResponseTemplate } from '../../src/response-template/index.ts';
import { readAnswer } from '../../src/runtime/chat/answer.ts';
import { unexpectedAnswer } from '../../src/servers/failure-text.ts';

const secret = 'my pin is 4711';

type ErrorClass = {
  [Name in keyof typeof errors]: (typeof errors)[Name] extends new (...facts: never) => Error ? Name : never;
}[keyof typeof errors];

const issue: errors.SchemaIssue = {
  tool: 'a',
  pointer: '/x',
  keyword: 'pattern',
  effect: 'widened',
  reason: 'no',
};
const template = { template: 't', reason: 'no' };
const support = { model: 'm', template: null, capabilities: null };

/** One error of each class; what may be written by a user or a model is the secret. */
const made: Readonly<Record<Exclude<ErrorClass, 'IdiolectError'>, Error>> = {
  TemplateError: new errors.TemplateError({ ...template, kind: 'syntax', line: 1, sourceLine: '{{' }),
  TemplateLimitError: new errors.TemplateLimitError({ template: 't', limit: 'steps', allowed: 1 }),
  AnalysisError: new errors.AnalysisError({ ...template, probe: 'p' }),
  SchemaError: new errors.SchemaError([issue]),
  ToolListError: new errors.ToolListError({ source: 's', reason: 'no' }),
  ToolError: new errors.ToolError({ tool: 'a', reason: 'no' }),
  UnsupportedOptionError: new errors.UnsupportedOptionError({ option: 'topP', reason: 'must be 1' }),
  GrammarError: new errors.GrammarError({ reason: 'no', rule: 'root' }),
  ModelFileError: new errors.ModelFileError({ file: 'm.gguf', reason: 'no' }),
  StateFileError: new errors.StateFileError({ file: 's', reason: 'no' }),
  ToolsUnsupportedError: new errors.ToolsUnsupportedError(support),
  ContextOverflowError: new errors.ContextOverflowError({ needed: 9, available: 5 }),
  ModelDisposedError: new errors.ModelDisposedError({ model: 'm' }),
  EngineError: new errors.EngineError({ reason: 'no', gpu: null }),
  ServerError: new errors.ServerError({
    url: 'http://u',
    reason: unexpectedAnswer(`{"id":1,"said":"${secret}"}`),
  }),
  MissingPackageError: new errors.MissingPackageError({ packageName: 'p', neededFor: 'it' }),
  DecodingError: new errors.DecodingError({ reason: 'no', text: secret }),
  CheckFailedError: new errors.CheckFailedError({
    tool: '',
    problems: [{ pointer: `/${secret}`, keyword: 'format', message: `${secret} came before` }],
    tries: 1,
    text: secret,
  }),
  PatternError: new errors.PatternError({ pattern: '(', position: 0, reason: 'no' }),
  ResponseTemplateError: new errors.ResponseTemplateError({ pointer: '/x', reason: 'no' }),
  ResponseFieldError: new errors.ResponseFieldError({ field: 'f', reason: 'no', raw: secret }),
  AnswerError: new errors.AnswerError({ text: secret, reason: 'no' }),
  MessageError: new errors.MessageError({ path: 'messages[0]', reason: 'no' }),
  ResponseReadError: new errors.ResponseReadError(),
  StalledError: new errors.StalledError({ waitsFor: 'it', advice: 'no' }),
  ResponseOverError: new errors.ResponseOverError(),
};

/** All that can be told of an error without asking for a fact by its name. */
function told(error: Error): string {
  const shown = [
    error.message,
    error.stack,
    String(error),
    inspect(error, { depth: null, showHidden: false }),
  ];
  return [...shown, JSON.stringify({ ...error }), reportError(error, false), reportError(error, true)].join(
    '\n',
  );
}

function errorOf(read: () => unknown): Error {
  try {
    read();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}

describe('an error that is printed or logged', () => {
  it.each(Object.entries(made))('does not show what a user or a model wrote: %s', (_name, error) => {
    expect(told(error)).not.toContain('4711');
  });

  it('still has it, for who asks', () => {
    const { DecodingError, CheckFailedError, ResponseFieldError, AnswerError } = made;
    expect(DecodingError).toHaveProperty('text', secret);
    expect(CheckFailedError).toHaveProperty('text', secret);
    expect(CheckFailedError).toHaveProperty('problems[0].pointer', `/${secret}`);
    expect(ResponseFieldError).toHaveProperty('raw', secret);
    expect(AnswerError).toHaveProperty('text', secret);
  });

  it('does not quote a field of a response that is no JSON', () => {
    const fields = { content: { open: '<v>', close: '</v>', content: 'json' } } as const;
    const read = (): unknown =>
      parseWithResponseTemplate({ start_anchor: '@', fields }, `<v>${secret}</v>`, { prefix: '' });
    const error = errorOf(read);
    expect(error).toHaveProperty('raw', secret);
    expect(told(error)).not.toContain('4711');
  });

  it('does not quote an answer that is no JSON', async () => {
    const answer = readAnswer({ role: 'assistant', content: secret }, { type: 'json_object' });
    const error: unknown = await answer.catch((reason: unknown) => reason);
    expect(error).toHaveProperty('text', secret);
    expect(told(error as Error)).not.toContain('4711');
  });
});
