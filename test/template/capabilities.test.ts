import { describe, expect, it } from 'vitest';
import { observeCapabilities } from '../../src/analysis/capabilities.ts';
import type { Capabilities } from '../../src/format/capabilities.ts';
import { parseTemplate } from '../../src/template/template.ts';
import { allTemplates, llamaTemplate } from '../support/corpora.ts';
import { sampled } from '../support/sample.ts';

type Flag = keyof Capabilities;

const each = (body: string) => `{% for m in messages %}{{ m.content }}${body}{% endfor %}`;
const calls = (body: string) => each(`{% for c in m.tool_calls %}${body}{% endfor %}`);

/** A template with the capability, and one that comes close but has it not. */
const pairs: readonly (readonly [flag: Flag, having: string, lacking: string])[] = [
  ['supportsTools', '{{ tools|tojson }}', '{% if tools %}You have tools.{% endif %}'],
  [
    'supportsTools',
    '{% for t in tools %}{{ t.function.name }}{% endfor %}',
    '{% for t in tools %}{{ t.type }}{% endfor %}',
  ],
  [
    'supportsToolCalls',
    calls('{{ c.function.name }}{{ c.function.arguments }}'),
    each('{{ m.tool_calls is defined }}'),
  ],
  [
    'supportsParallelToolCalls',
    calls('{{ c.function|tojson }}'),
    each('{% if m.tool_calls %}{{ m.tool_calls[0].function|tojson }}{% endif %}'),
  ],
  [
    'supportsParallelToolCalls',
    calls('{{ c.function|tojson }}'),
    calls('{{ raise_exception("one") if m.tool_calls|length > 1 else c.function|tojson }}'),
  ],
  [
    'supportsObjectArguments',
    calls('{{ c.function.name }}{{ c.function.arguments|tojson }}'),
    calls('{{ c.function.name }}{{ "" + c.function.arguments }}'),
  ],
  [
    'supportsSystemRole',
    each(''),
    '{% for m in messages if m.role != "system" %}{{ m.content }}{% endfor %}',
  ],
  [
    'supportsSystemRole',
    each(''),
    '{% for m in messages %}{% if m.role == "system" %}{{ raise_exception("no") }}{% endif %}{{ m.content }}{% endfor %}',
  ],
  [
    'supportsPreserveReasoning',
    each('{{ m.reasoning_content }}'),
    each('{{ m.reasoning_content if loop.last }}'),
  ],
  [
    'supportsPreserveReasoning',
    each('{{ m.reasoning_content if preserve_thinking }}'),
    each('{% if m.reasoning_content %}!{% endif %}'),
  ],
  ['supportsReasoningEffort', '{{ "low" if reasoning_effort == "low" }}', '{{ "low" }}'],
  [
    'supportsStringContent',
    each(''),
    '{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %}{% endfor %}',
  ],
  [
    'supportsTypedContent',
    '{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %}{% endfor %}',
    each(''),
  ],
];

describe('capabilities are what a template really does', () => {
  it.each(pairs)('%s is true for %s, and false for %s', (flag, having, lacking) => {
    expect(observeCapabilities(parseTemplate(having)).capabilities[flag]).toBe(true);
    expect(observeCapabilities(parseTemplate(lacking)).capabilities[flag]).toBe(false);
  });

  it('words of the trade in a template mean nothing', () => {
    const source = `tools tool_calls reasoning_content system {# tools[0].function.name #}{% if false %}{{ tools|tojson }}{% endif %}${each('')}`;
    const { capabilities } = observeCapabilities(parseTemplate(source));
    expect(capabilities).toMatchObject({
      supportsTools: false,
      supportsToolCalls: false,
      supportsPreserveReasoning: false,
    });
  });
});

describe('capabilities of real templates', () => {
  it.each([
    ['Qwen-Qwen3-0.6B', { supportsTools: true, supportsToolCalls: true, supportsParallelToolCalls: true }],
    ['meta-llama-Llama-3.1-8B-Instruct', { supportsToolCalls: true, supportsParallelToolCalls: false }],
    ['openai-gpt-oss-120b', { supportsReasoningEffort: true, supportsParallelToolCalls: false }],
    ['google-gemma-2-2b-it', { supportsTools: false, supportsToolCalls: false, supportsSystemRole: false }],
    ['microsoft-Phi-3.5-mini-instruct', { supportsTools: false, supportsSystemRole: true }],
    ['meetkai-functionary-medium-v3.2', { supportsToolCalls: true, supportsObjectArguments: false }],
    ['Cohere2MoE', { supportsReasoningEffort: true }],
    ['poolside-Laguna-S-2.1', { supportsPreserveReasoning: true }],
  ])('%s: %j', async (name, expected) => {
    const { source } = await llamaTemplate(name);
    expect(observeCapabilities(parseTemplate(source)).capabilities).toMatchObject(expected);
  });

  it('every flag of every template has its evidence, and what follows from another does', async () => {
    for (const { source, id } of sampled(await allTemplates(), 3, 1)) {
      const { capabilities, evidence } = observeCapabilities(parseTemplate(source));
      expect(evidence.map(({ field }) => field).sort()).toEqual(
        Object.keys(capabilities)
          .map((flag) => `capabilities.${flag}`)
          .sort(),
      );
      expect(
        evidence.every(({ reason, probe }) => reason !== '' && probe !== ''),
        id,
      ).toBe(true);
      if (capabilities.supportsParallelToolCalls) expect(capabilities.supportsToolCalls, id).toBe(true);
      if (capabilities.supportsObjectArguments) expect(capabilities.supportsToolCalls, id).toBe(true);
    }
  });
});

describe('observed reads', () => {
  it('say what was read, and how', () => {
    const template = parseTemplate(
      '{{ tools[0].function.name }}{% for m in messages %}{{ m.role }}{% endfor %}{% if x %}{% endif %}{{ d is mapping }}',
    );
    const { reads } = template.renderObserved({
      tools: [{ function: { name: 'f', description: 'unread' } }],
      messages: [{ role: 'user', content: 'unread' }],
      d: { inside: 1 },
    });
    expect(reads.get('tools[0].function.name')).toEqual(new Set(['value']));
    expect(reads.get('messages')).toContain('iterated');
    expect(reads.get('messages[0].role')).toContain('value');
    expect(reads.get('x')).toEqual(new Set(['absent']));
    for (const path of ['tools[0].function.description', 'messages[0].content', 'd.inside']) {
      expect(reads.has(path)).toBe(false);
    }
  });

  it('reach everything that is written as JSON', () => {
    const { reads } = parseTemplate('{{ a|tojson }}').renderObserved({ a: { b: [1, { c: 'd' }] } });
    expect(reads.get('a.b[1].c')).toContain('value');
    expect(reads.get('a.b[0]')).toContain('value');
  });
});
