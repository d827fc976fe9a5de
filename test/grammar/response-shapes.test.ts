/** What each request lets a model write, after each part of a turn that the prompt may hold already. */
import { describe, expect, it } from 'vitest';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { SchemaError, UnsupportedOptionError } from '../../src/format/errors.ts';
import { buildGrammar, buildGrammarSteps } from '../../src/grammar/build-grammar.ts';
import { formatGrammar } from '../../src/grammar/format-grammar.ts';
import type { GrammarOptions } from '../../src/grammar/grammar-options.ts';
import type { Grammar } from '../../src/language/expression/expression.ts';
import { finish } from '../../src/language/expression/steps.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { normalizeTools } from '../../src/tools/tools.ts';
import {
  channels,
  delimited,
  jsonInTags,
  noMarker,
  plain,
  wrappedContent,
} from '../support/sample-formats.ts';

const parameters = {
  type: 'object',
  properties: { n: { type: 'integer', minimum: 1, maximum: 5 } },
  required: ['n'],
  additionalProperties: false,
} as const;
const tools = [{ name: 'f', parameters }] as const;
const schema = {
  type: 'object',
  properties: { size: { enum: [10, 20] } },
  required: ['size'],
  additionalProperties: false,
} as const;
const responseFormat = { type: 'json_schema', json_schema: { schema } } as const;

const call = '<use>\n{"name": "f", "arguments": {"n": 3}}\n</use>';
const other = '<use>\n{"name": "f", "arguments": {"n": 9}}\n</use>';
const thoughts = '<muse>\nhm\n</muse>\n\n';
const answer = '{"size": 10}';

function textsOf(grammar: Grammar | null): (text: string) => boolean {
  if (grammar === null) throw new TypeError('the response is not free');
  const start = createMatcher(grammar);
  return (text) => {
    const matcher = start.clone();
    return matcher.accept(text) && matcher.complete;
  };
}

/** Checks which texts a request allows. */
function expectTexts(
  format: ChatFormat,
  options: GrammarOptions,
  { allowed, refused }: { readonly allowed: readonly string[]; readonly refused: readonly string[] },
): void {
  const isText = textsOf(buildGrammar(format, options).expression);
  expect([...allowed, ...refused].filter(isText)).toEqual(allowed);
}

const begun = jsonInTags.turn.start;
const unthinking = begun + jsonInTags.turn.prompt.off;
const required = { tools, toolChoice: 'required' } as const;

describe('a required call', () => {
  it('comes after thoughts or at once, and with nothing else', () => {
    for (const generationPrompt of [undefined, begun])
      expectTexts(
        jsonInTags,
        { ...required, generationPrompt },
        {
          allowed: [call, thoughts + call, `${call}\n${call}`],
          refused: ['', 'Hm.', other, `Hm. ${call}`, `${thoughts}Hm.`, thoughts, `${call} Hm.`, answer],
        },
      );
  });

  it('comes without thoughts where the prompt has none', () => {
    expectTexts(
      jsonInTags,
      { ...required, generationPrompt: unthinking },
      {
        allowed: [call],
        refused: ['', `Hm. ${call}`, other],
      },
    );
  });

  it('comes after thoughts that the prompt has opened', () => {
    expectTexts(
      jsonInTags,
      { ...required, generationPrompt: `${begun}<muse>\nSo` },
      {
        allowed: [` hm\n</muse>\n\n${call}`],
        refused: [call, ' hm\n</muse>\n\nHm.'],
      },
    );
  });

  it('is one where only one may come', () => {
    expectTexts(
      jsonInTags,
      { ...required, parallelToolCalls: false },
      {
        allowed: [call],
        refused: [`${call}\n${call}`],
      },
    );
  });

  it.each([1, 3, 5, 6, 10])('goes on where the prompt has begun it: after %i characters', (length) => {
    const generationPrompt = unthinking + call.slice(0, length);
    expectTexts(
      jsonInTags,
      { ...required, generationPrompt },
      {
        allowed: [call.slice(length), `${call.slice(length)}\n${call}`],
        refused: ['', other.slice(length), `${call.slice(length)}\n${other}`],
      },
    );
  });

  it('comes after another one that the prompt has', () => {
    expectTexts(
      jsonInTags,
      { ...required, generationPrompt: `${unthinking}${call}\n<us` },
      {
        allowed: [call.slice(3)],
        refused: [other.slice(3), 'Hm.'],
      },
    );
  });

  it('may be bare JSON where the format has no marker', () => {
    const bare = '{"name": "f", "parameters": {"n": 3}}';
    expectTexts(noMarker, required, {
      allowed: [bare],
      refused: ['', 'Hm.', bare.replace('3', '9'), answer],
    });
  });

  it('is refused where the format has no calls', () => {
    expect(() => buildGrammar(plain, required)).toThrow(UnsupportedOptionError);
  });
});

describe('an answer of a schema', () => {
  it('comes after thoughts or at once, and alone', () => {
    expectTexts(
      jsonInTags,
      { responseFormat },
      {
        allowed: [answer, thoughts + answer],
        refused: ['', 'Hm.', '{"size": 11}', `Hm. ${answer}`, call, `${answer}${call}`],
      },
    );
    expectTexts(plain, { responseFormat }, { allowed: [answer], refused: ['', 'Hm.', '{"size": 11}'] });
  });

  it('stands next to calls, one or the other', () => {
    expectTexts(
      jsonInTags,
      { responseFormat, tools },
      {
        allowed: [answer, thoughts + answer, call, thoughts + call],
        refused: ['', 'Hm.', '{"size": 11}', other, `${answer}\n${call}`],
      },
    );
  });

  it('stands within its own markers, with calls in theirs', () => {
    const made = '<act>[\n    {"n": "0", "name": "f", "arguments": {"n": 3}}\n]</act>';
    expectTexts(
      wrappedContent,
      { responseFormat, tools },
      {
        allowed: [`<say>${answer}</say>`, `<muse>hm</muse><say>${answer}</say>`, made],
        refused: [answer, '<say>Hm.</say>', made.replace('3', '9')],
      },
    );
  });

  it.each([1, 5, 9])('goes on where the prompt has begun it: after %i characters', (length) => {
    const generationPrompt = unthinking + answer.slice(0, length);
    for (const offered of [[], tools])
      expectTexts(
        jsonInTags,
        { responseFormat, tools: offered, generationPrompt },
        {
          allowed: [answer.slice(length)],
          refused: [answer, '', '1'],
        },
      );
  });

  it('begins where thoughts end that only a closer marks', () => {
    expectTexts(
      delimited,
      { responseFormat, generationPrompt: `${begun}Steps:\n` },
      {
        allowed: [`hm\n[ANSWER]\n${answer}`],
        refused: [answer, 'hm\n[ANSWER]\nHm.'],
      },
    );
  });
});

describe('text without calls', () => {
  it('is anything but a call', () => {
    expectTexts(
      jsonInTags,
      { tools, toolChoice: 'none' },
      {
        allowed: ['', 'Hm.', `${thoughts}Hm.`, answer, 'a < b'],
        refused: [call, `Hm. ${call}`, `${thoughts}${call}`],
      },
    );
  });
});

describe('a free response with calls', () => {
  it('is enforced from the opener of a call on', () => {
    const { expression, lazy, triggers } = buildGrammar(jsonInTags, { tools, generationPrompt: unthinking });
    expect([lazy, triggers]).toEqual([true, [{ type: 'word', value: '<use>' }]]);
    const isText = textsOf(expression);
    const texts = [call, `${call}\n${call}`, other, `Hm. ${call}`, thoughts + call, answer, ''];
    expect(texts.filter(isText)).toEqual([call, `${call}\n${call}`]);
  });

  it('needs only the rest of an opener that the prompt has begun, and all of it before the next call', () => {
    const generationPrompt = `${unthinking}<us`;
    const { expression, triggers } = buildGrammar(jsonInTags, { tools, generationPrompt });
    expect(triggers).toEqual([{ type: 'word', value: 'e>' }]);
    const [rest, wrong] = [call.slice(3), other.slice(3)];
    const texts = [rest, `${rest}\n${call}`, call, wrong, `${rest}\n${rest}`, `${rest}\nHm.`];
    expect(texts.filter(textsOf(expression))).toEqual(texts.slice(0, 3));
  });

  it('may call a tool that is not on offer where other names are allowed', () => {
    const named = call.replace('"f"', '"g"');
    for (const [toolNames, isAllowed] of [
      ['any', true],
      ['offered', false],
    ] as const) {
      const { expression } = buildGrammar(jsonInTags, { tools, toolNames, generationPrompt: unthinking });
      expect(textsOf(expression)(named)).toBe(isAllowed);
      expect(textsOf(expression)(call)).toBe(true);
    }
    const demanded = buildGrammar(jsonInTags, { ...required, toolNames: 'any' }).expression;
    expect(textsOf(demanded)(named)).toBe(false);
  });
});

describe('a turn whose regions have headers', () => {
  const { start } = channels.turn;
  const made = '|chan| to=tool.f|chan|side|text|{"n": 3}';

  it('has thoughts, then a call or an answer, each with its own', () => {
    const isText = textsOf(buildGrammar(channels, { ...required, generationPrompt: start }).expression);
    const texts = [made.slice('|chan|'.length), `|chan|think|text|hm|stop||begin|bot${made.slice(6)}`, 'Hm.'];
    expect(texts.filter(isText)).toEqual(texts.slice(0, 2));
  });

  it('begins another turn where the prompt has ended one', () => {
    const generationPrompt = `${start}|chan|think|text|hm|stop|`;
    const isText = textsOf(buildGrammar(channels, { ...required, generationPrompt }).expression);
    const texts = [start + made.slice('|chan|'.length), made.slice('|chan|'.length), `${start}Hm.`];
    expect(texts.filter(isText)).toEqual(texts.slice(0, 1));
  });

  it('cannot go on in a header that the format does not have', () => {
    const generationPrompt = `${start}|chan|unheard`;
    expect(() => buildGrammar(channels, { ...required, generationPrompt })).toThrow('header');
  });
});

describe('white space that the prompt leaves to the model', () => {
  const format = { ...plain, turn: { ...plain.turn, start: 'bot:', lead: ' ' } };

  it('may come at the start of a turn, and not within it', () => {
    expectTexts(
      format,
      { responseFormat, generationPrompt: 'bot:' },
      {
        allowed: [answer, ` ${answer}`],
        refused: [`  ${answer}`],
      },
    );
    expectTexts(
      format,
      { responseFormat, generationPrompt: `bot:${answer.slice(0, 3)}` },
      {
        allowed: [answer.slice(3)],
        refused: [` ${answer.slice(3)}`, ` ${answer}`],
      },
    );
  });
});

describe('white space before the opener of calls', () => {
  const { calls } = jsonInTags;
  if (calls === null) throw new TypeError('the format has calls');
  const format = {
    ...jsonInTags,
    calls: { ...calls, section: { open: '\n\n<calls>\n', close: '\n</calls>' } },
  };
  const made = `<calls>\n${call}\n</calls>`;

  it("is the model's choice where a call is demanded", () => {
    expectTexts(
      format,
      { ...required, generationPrompt: unthinking },
      {
        allowed: [made, `\n\n${made}`],
        refused: [`\n${made}`, `Hm.\n\n${made}`],
      },
    );
  });

  it('may be anything in the grammar of the format, where text comes before it', () => {
    const { expression } = formatGrammar(format);
    expect(['', 'Hm.', '\n\n', ' '].map((text) => textsOf(expression)(text + made))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    const rules = JSON.stringify([...expression.rules]);
    expect(rules).toContain(JSON.stringify('<calls>\n<use>').slice(1, -1));
  });
});

describe('reasoning that is left out', () => {
  const { reasoning } = jsonInTags;
  if (reasoning === null) throw new TypeError('the format has reasoning');
  const [empty, emptyWithCalls] = ['<skip/>', '<no/>'];
  const format = { ...jsonInTags, reasoning: { ...reasoning, empty, emptyWithCalls } };

  it('is replaced by what the format writes in its place, before calls or an answer', () => {
    const texts = [empty, emptyWithCalls].flatMap((start) => [start + call, start + answer]);
    const allowed = (options: GrammarOptions) => {
      const isText = textsOf(buildGrammar(format, { ...options, generationPrompt: begun }).expression);
      return texts.map(isText);
    };
    expect(allowed(required)).toEqual([false, false, true, false]);
    expect(allowed({ responseFormat })).toEqual([false, true, false, false]);
    expect(allowed({ responseFormat, tools })).toEqual([true, true, true, true]);
  });
});

describe('calls that models begin in another way, too', () => {
  const other = { open: '<call>\n', head: ['{"name": "', { hole: 'name' }, '", "arguments": '] } as const;
  const format = { ...jsonInTags, alternatives: { calls: [other] } };
  const made = call.replace('<use>', '<call>');

  it('are open to a model, and not in the grammar of the format', () => {
    expectTexts(format, required, { allowed: [call, made], refused: [call.replace('<use>', '<cal>')] });
    expectTexts(format, { ...required, responseFormat }, { allowed: [call, made], refused: [] });
    const rules = JSON.stringify([...formatGrammar(format).expression.rules]);
    expect(['<use>', '<call>'].map((marker) => rules.includes(marker))).toEqual([true, false]);
  });
});

describe('calls as bare JSON', () => {
  const bare = '{"name": "f", "arguments": {"n": 3}}';

  it('stand next to an answer where they are asked for, and it has no marker', () => {
    for (const [format, bareCalls, isAllowed] of [
      [jsonInTags, true, true],
      [jsonInTags, false, false],
      [jsonInTags, undefined, false],
      [wrappedContent, true, false],
    ] as const) {
      const options = { responseFormat, tools: normalizeTools(tools), bareCalls };
      const isText = textsOf(finish(buildGrammarSteps(() => undefined, format, options)).expression);
      expect(isText(bare)).toBe(isAllowed);
      expect(isText(bare.replace('3', '9'))).toBe(false);
    }
  });
});

describe('what of a tool cannot be enforced', () => {
  const distinct = { type: 'array', uniqueItems: true, items: { type: 'string' } } as const;
  const hard = [{ name: 'f', parameters: { type: 'object', properties: { a: distinct } } }] as const;

  it('is told where the tool can be called, and only there', () => {
    const report = (options: GrammarOptions) => buildGrammar(jsonInTags, { tools: hard, ...options }).report;
    for (const options of [{ toolChoice: 'required' }, {}, { responseFormat }] as const)
      expect(report(options)).toMatchObject([
        { tool: 'f', pointer: '/properties/a', keyword: 'uniqueItems' },
      ]);
    expect(report({ toolChoice: 'none' })).toEqual([]);
  });

  it('is refused where the tool can be called, and only there', () => {
    const parameters = {
      type: 'object',
      properties: { a: { type: 'string', pattern: '(?=(b))\\1' } },
    } as const;
    const unread = [{ name: 'f', parameters }] as const;
    const build = (options: GrammarOptions) => () => buildGrammar(jsonInTags, { tools: unread, ...options });
    for (const options of [{ toolChoice: 'required' }, {}, { responseFormat }] as const)
      expect(build(options)).toThrow(SchemaError);
    expect(build({ toolChoice: 'none' })).not.toThrow();
  });
});

describe('the grammar of a format', () => {
  it('is all that its template writes', () => {
    const isText = textsOf(formatGrammar(jsonInTags).expression);
    const texts = [`${thoughts}Hm.\n${call}`, `${thoughts}Hm.`, other, 'Hm.'];
    expect(texts.filter(isText)).toEqual(texts);
    expect(isText(`${call} Hm.`)).toBe(false);
    const isPlain = textsOf(formatGrammar(plain).expression);
    expect(isPlain('Hm.')).toBe(true);
  });
});
