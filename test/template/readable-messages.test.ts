import { beforeAll, describe, expect, it } from 'vitest';
import { MessageError, TemplateError } from '../../src/format/errors.ts';
import type { Message } from '../../src/format/messages.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { allTemplates, type CorpusTemplate, llamaTemplate } from '../support/corpora.ts';
import { sampled } from '../support/sample.ts';

let corpus: readonly CorpusTemplate[] = [];
beforeAll(async () => {
  corpus = sampled(await allTemplates(), 3);
}, 60_000);

const user: Message = { role: 'user', content: 'And then?' };
const part = (text: string) => ({ type: 'text', text });

/** The prompt, or `null` where the template refuses the conversation as such. */
function rendered(source: string, messages: readonly Message[]): string | null {
  try {
    return renderPrompt(source, { messages });
  } catch (error) {
    if (error instanceof TemplateError) return null;
    throw error;
  }
}

const called: Message = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'call00001', type: 'function', function: { name: 'look_up', arguments: '{"word":"owl"}' } },
  ],
};

describe('content in parts', () => {
  it.each<[string, (content: Message['content']) => readonly Message[]]>([
    ['a user', (content) => [{ role: 'user', content } as Message]],
    ['the system', (content) => [{ role: 'system', content } as Message, user]],
    ['an assistant', (content) => [user, { role: 'assistant', content }, user]],
    ['a tool', (content) => [user, called, { role: 'tool', tool_call_id: 'call00001', content } as Message]],
  ])('of %s is text wherever text is', (_role, conversation) => {
    let shown = 0;
    for (const { source } of corpus) {
      const whole = rendered(source, conversation('zq one\nzq two'));
      if (whole?.includes('zq one\nzq two') !== true) continue;
      const parts = rendered(source, conversation([part('zq one'), part('zq two')]));
      expect(parts).toMatch(/zq one.*zq two/s);
      expect(parts).not.toMatch(/'zq one'/);
      shown += 1;
    }
    expect(shown).toBeGreaterThan(corpus.length / 4);
  });

  it.each(['system', 'developer', 'user'])('is needed in a message of the role %s', async (role) => {
    const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
    for (const message of [{ role }, { role, content: null }, { role, parts: [part('Hello')] }]) {
      const messages: readonly Message[] = [user, JSON.parse(JSON.stringify(message))];
      expect(() => renderPrompt(source, { messages })).toThrow(
        new MessageError({
          path: 'messages[1].content',
          reason: `a message of the role ${role} needs content: text, or a list of parts`,
        }),
      );
    }
  });

  it('that is no text is refused where a template shows text alone', async () => {
    const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
    const image = { type: 'image_url', image_url: { url: 'data:,' } };
    const messages: readonly Message[] = [{ role: 'user', content: [part('Look:'), image] }];
    expect(() => renderPrompt(source, { messages })).toThrow(
      new MessageError({
        path: 'messages[0].content[1]',
        reason: 'the template supports only text content, no parts of type image_url',
      }),
    );
  });
});

describe("a developer's message", () => {
  it('is shown wherever a message of the system is', () => {
    let shown = 0;
    for (const { source } of corpus) {
      if (rendered(source, [{ role: 'system', content: 'zq rules' }, user])?.includes('zq rules') !== true)
        continue;
      expect(rendered(source, [{ role: 'developer', content: 'zq rules' }, user])).toContain('zq rules');
      shown += 1;
    }
    expect(shown).toBeGreaterThan(corpus.length / 2);
  });
});

describe('calls of earlier turns', () => {
  const calling = (args: unknown) => [
    user,
    { ...called, tool_calls: [{ ...call, function: { name: 'f', arguments: args } }] },
  ];
  const call = { id: 'call00001', type: 'function' };
  const source =
    '{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}';
  const shown = (messages: unknown) => renderPrompt(source, { messages: messages as readonly Message[] });

  it('may have no arguments, or an object of them', () => {
    expect(shown(calling(''))).toBe('{}');
    expect(shown(calling({ a: 1 }))).toBe('{"a": 1}');
  });

  it.each(['{bad', '[1]', '5', null])('with arguments %j are refused', (args) => {
    expect(() => shown(calling(args))).toThrow(MessageError);
  });

  it('may be null, as other servers write it', () => {
    expect(
      shown([user, { role: 'assistant', content: 'Well.', tool_calls: null, reasoning_content: null }]),
    ).toBe('');
  });
});

describe('instructions in the middle of a conversation', () => {
  const one: Message = { role: 'system', content: 'zq one' };
  const two: Message = { role: 'system', content: 'zq two' };
  const answer: Message = { role: 'assistant', content: 'zq answer' };

  it('are told wherever the first are', () => {
    let shown = 0;
    for (const { source, id } of corpus) {
      if (rendered(source, [one, user])?.includes('zq one') !== true) continue;
      if (rendered(source, [user, answer, user]) === null) continue;
      for (const conversation of [
        [one, two, user],
        [one, user, answer, { ...two, role: 'developer' } as const, user],
      ])
        expect(rendered(source, conversation), id).toMatch(/zq one.*zq two/s);
      shown += 1;
    }
    expect(shown).toBeGreaterThan(corpus.length / 4);
  });
});
