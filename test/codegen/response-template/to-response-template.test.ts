/** Response templates made from chat formats read back what the format writes. */
import { beforeAll, describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../../src/analysis/analyze-template.ts';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { AssistantMessage, JsonObject, ToolCall } from '../../../src/format/messages.ts';
import { writeResponse } from '../../../src/layout/write-response.ts';
import {
  type MadeResponseTemplate,
  reasoningKey,
  toResponseTemplate,
} from '../../../src/response-template/from-format/to-response-template.ts';
import { parseWithResponseTemplate } from '../../../src/response-template/index.ts';
import { allTemplates, type CorpusTemplate } from '../../support/corpora.ts';
import { spineTemplates } from '../../support/spine-templates.ts';

const properties = {
  city: { type: 'string' },
  zip: { type: 'string' },
  days: { type: 'integer' },
  ratio: { type: 'number' },
  ok: { type: 'boolean' },
  tags: { type: 'array' },
  opt: { type: 'object' },
  none: { type: 'null' },
};
const tools = [
  { type: 'function', function: { name: 'get_weather', parameters: { type: 'object', properties } } },
  { type: 'function', function: { name: 'no_arguments', parameters: { type: 'object', properties: {} } } },
];

function call(name: string, given: JsonObject): ToolCall {
  return { id: 'call00001', type: 'function', function: { name, arguments: JSON.stringify(given) } };
}

const simple = call('get_weather', { city: 'New York', zip: '0123', days: 3, ratio: 1.5, ok: true });
const quoted = call('get_weather', { city: 'Köln "x"\ntwo lines {a}', none: null });
const nested = call('get_weather', { city: 'true', tags: ['a', 1, []], opt: { a: { b: 'c' }, d: false } });
const bare = call('no_arguments', {});

const messages: readonly AssistantMessage[] = [
  { role: 'assistant', content: 'Hello there.' },
  { role: 'assistant', content: 'First line,\n\nthen a < b.', reasoning_content: 'Let me think.\nYes.' },
  ...[[simple], [quoted], [nested], [bare], [simple, bare], [nested, quoted]].map(
    (tool_calls): AssistantMessage => ({ role: 'assistant', content: '', tool_calls }),
  ),
  { role: 'assistant', content: 'I look.', tool_calls: [simple] },
  { role: 'assistant', content: '', reasoning_content: 'A tool helps.', tool_calls: [simple] },
  { role: 'assistant', content: 'I look.', reasoning_content: 'A tool helps.', tool_calls: [simple, bare] },
];

/** Whether the format can carry all of a message. */
function carries(format: ChatFormat, message: AssistantMessage): boolean {
  const calls = message.tool_calls ?? [];
  if (message.reasoning_content !== undefined && format.reasoning === null) return false;
  if (calls.length > 0 && format.calls === null) return false;
  if (calls.length > 1 && format.calls?.parallel === false) return false;
  const withCalls = calls.length > 0 && message.content !== '';
  return !withCalls || !['dropped', 'reasoning'].includes(format.content.position);
}

interface Plain {
  readonly content: unknown;
  readonly reasoning: unknown;
  readonly calls: readonly { readonly name: unknown; readonly given: unknown }[];
}

function plain(message: AssistantMessage): Plain {
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: given } }) => ({
    name,
    given: JSON.parse(given),
  }));
  return { content: message.content, reasoning: message.reasoning_content ?? '', calls };
}

/** What the made template reads in what the format writes; the problem where it cannot. */
function readBack(format: ChatFormat, made: MadeResponseTemplate, message: AssistantMessage): Plain | string {
  const { template } = made;
  if (template === null) return 'no template';
  const text = writeResponse(format, message) + (format.turn.ends[0] ?? '');
  try {
    const read = parseWithResponseTemplate(template, text, { prefix: format.turn.start, tools });
    const calls = Array.isArray(read.tool_calls) ? read.tool_calls : [];
    return {
      content: read.content ?? '',
      reasoning: read[reasoningKey(format)] ?? '',
      calls: calls.map((each) => ({ name: each.function.name, given: argumentsOf(each.function.arguments) })),
    };
  } catch (error) {
    return String(error);
  }
}

function argumentsOf(given: unknown): unknown {
  return typeof given === 'string' ? JSON.parse(given) : given;
}

const long = process.env.LAWS === 'long';
let analysed: { readonly source: CorpusTemplate; readonly format: ChatFormat }[] = [];

beforeAll(async () => {
  const sources = long ? await allTemplates() : await spineTemplates();
  analysed = sources.flatMap((source) => {
    try {
      return [{ source, format: analyzeTemplate(source.source, { name: source.id }).format }];
    } catch {
      // What cannot be analysed is for the tests of the analysis.
      return [];
    }
  });
}, 600_000);

describe('response templates made from chat templates', () => {
  it('read back every message, or say what they cannot', () => {
    const broken = analysed.flatMap(({ source, format }) => {
      const made = toResponseTemplate(format);
      if (made.unsupported.length > 0) return [];
      return messages
        .filter((message) => carries(format, message))
        .filter(
          (message) => JSON.stringify(readBack(format, made, message)) !== JSON.stringify(plain(message)),
        )
        .map((message) => ({
          template: source.id,
          wanted: plain(message),
          got: readBack(format, made, message),
        }));
    });
    expect(broken).toEqual([]);
  });

  it('read a plain answer wherever one can be made at all', () => {
    for (const { format } of analysed) {
      const made = toResponseTemplate(format);
      if (made.template === null) continue;
      const greeting = messages[0] ?? { role: 'assistant', content: '' };
      expect(readBack(format, made, greeting)).toEqual(plain(greeting));
    }
  });

  it('cannot be made only for calls in Python', () => {
    const impossible = analysed.filter(({ format }) => toResponseTemplate(format).template === null);
    const codes = impossible.flatMap(({ format }) =>
      toResponseTemplate(format)
        .unsupported.filter(({ fatal }) => fatal)
        .map(({ code }) => code),
    );
    expect(new Set(codes)).toEqual(new Set(['pythonic-arguments']));
  });

  it('are plain data that no one shares', () => {
    for (const { format } of analysed) {
      const { template } = toResponseTemplate(format);
      expect(JSON.parse(JSON.stringify(template))).toEqual(template);
    }
  });
});

it('the conversion makes none of calls that are printed as Python prints objects', () => {
  const calls = '{% for call in message.tool_calls or [] %}<call>{{ call.function }}</call>{% endfor %}';
  const turn = `<|{{ message.role }}|>{{ message.content }}${calls}<|end|>`;
  const prompt = '{% if add_generation_prompt %}<|assistant|>{% endif %}';
  const { format } = analyzeTemplate(`{% for message in messages %}${turn}{% endfor %}${prompt}`);
  const { template, unsupported } = toResponseTemplate(format);
  expect(template).toBeNull();
  expect(unsupported.map(({ code }) => code)).toEqual(['python-values']);
});
