/**
 * Chat templates in a tool format are chat templates: every law holds for all that know no tools, or they are refused
 * as they are by themselves. Without tools and calls, nothing of the format is seen.
 */
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { observeCapabilities } from '../../src/analysis/capabilities.ts';
import { AnalysisError, IdiolectError } from '../../src/format/errors.ts';
import { type LawBreach, verifyTemplate } from '../../src/generate/verify/verify-template.ts';
import { tryRender } from '../../src/template/prompt/render-attempt.ts';
import { parseTemplate } from '../../src/template/template.ts';
import { toolFormats, wrapTemplate } from '../../src/template/tool-format/wrap-template.ts';
import { allTemplates, type CorpusTemplate } from '../support/corpora.ts';
import { sampled } from '../support/sample.ts';

const corpus = await allTemplates();
const specialTokens = { bosToken: '<s>', eosToken: '</s>' };

function knowsNoTools({ source }: CorpusTemplate): boolean {
  const { capabilities } = observeCapabilities(parseTemplate(source));
  return !(capabilities.supportsTools && capabilities.supportsToolCalls);
}

/** The reason why a template cannot be analysed. */
function refusal(source: string): string | null {
  try {
    analyzeTemplate(source, specialTokens);
    return null;
  } catch (error) {
    if (error instanceof AnalysisError) return error.reason;
    throw error;
  }
}

/** So much of an example shows whose it is: `<|tool_call|` is no text of a tool format. */
const ownMarker = 12;

const unable = corpus.filter(knowsNoTools);

it('half of all templates know no tools', () => {
  expect(unable.length).toBeGreaterThan(80);
});

describe.each(toolFormats)('$name', ({ name: format }) => {
  const shift = toolFormats.findIndex(({ name }) => name === format);

  it.each(sampled(unable, 24, shift))('$id keeps every law, or is refused as by itself', ({ source }) => {
    const wrapped = wrapTemplate(source, format);
    const reason = refusal(wrapped);
    expect(reason === null, reason ?? '').toBe(refusal(source) === null);
    if (reason !== null) return;
    const { breaches, rendered } = verifyTemplate(wrapped, specialTokens);
    // What the template tells by itself of calls of its own, without tools, it still tells.
    const isOwn = ({ law, expected }: LawBreach): boolean =>
      law === 'as told' && source.includes(String(expected).slice(0, ownMarker));
    expect(breaches.filter((breach) => !isOwn(breach))).toEqual([]);
    // All but those with thoughts, which few of these templates render.
    expect(rendered).toBeGreaterThanOrEqual(34);
    const { capabilities } = analyzeTemplate(wrapped, specialTokens).format;
    expect(capabilities).toMatchObject({
      supportsTools: true,
      supportsToolCalls: true,
      supportsParallelToolCalls: true,
    });
  });

  it.each(sampled(corpus, 24, shift))('$id renders plain conversations as by itself', ({ source }) => {
    const [own, wrapped] = [source, wrapTemplate(source, format)].map((each) => parseTemplate(each));
    const system = { role: 'system', content: 'Be brief.' };
    const turns = ['One?', 'Two.', 'Three?'].map((content, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      content,
    }));
    for (const messages of [turns, [system, ...turns], turns.slice(0, 2), []]) {
      for (const add_generation_prompt of [true, false]) {
        const variables = { messages, add_generation_prompt, bos_token: '<s>', eos_token: '</s>' };
        const [expected, actual] = [own, wrapped].map(
          (each) => each && outcome(() => tryRender(each, variables)),
        );
        expect(actual).toBe(expected);
      }
    }
  });
});

function outcome(render: () => string | null): string | null {
  try {
    return render();
  } catch (error) {
    if (error instanceof IdiolectError) return error.message;
    throw error;
  }
}
