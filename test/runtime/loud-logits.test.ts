/**
 * Law: the mask says all that may be drawn. A loop whose logits are far apart, farther than any bias reaches, never draws
 * what the grammar does not allow, nor bytes that are no text, wherever it is: between the markers that are ends of
 * generation, too, and within characters, where an engine's own grammar cannot begin.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { generatedTemplates } from '../../scripts/judge-models/insisting/chat-templates.ts';
import { InsistingEngine } from '../../scripts/judge-models/insisting/insisting-model.ts';
import { maskLogits, type SteeredChat, steer } from '../../src/runtime/engine/index.ts';
import { type Vocabulary, vocabularyOf } from '../../src/runtime/engine/tokens/vocabulary.ts';
import { lawTools } from '../support/law-tools.ts';

const seed = Number(process.env.SEED);
/** Formats whose markers are ends of generation, and one without such markers. */
const names = ['openai-gpt-oss-120b', 'kimi-k3', 'google-gemma-4-31b-it', 'qwen-qwen3-0.6b'] as const;
const maxTokens = 60;

interface Begun {
  readonly response: SteeredChat;
  readonly vocabulary: Vocabulary;
  /** Tokens that begin a character which another token ends. */
  readonly heads: readonly number[];
}

async function begin(name: string): Promise<Begun> {
  const template = (await generatedTemplates()).find((each) => each.name === name);
  if (template === undefined) throw new RangeError(`no generated module is called ${name}`);
  const { chatTemplate, contextSize, model, tokenizer } = new InsistingEngine(template);
  const response = await steer(
    { chatTemplate, contextSize, model, tokenizer },
    {
      messages: [{ role: 'user', content: 'Do it.' }],
      ...{ tools: lawTools, toolChoice: 'required', thinkingBudget: 500, maxTokens },
    },
  );
  const vocabulary = vocabularyOf(tokenizer);
  const tokens = tokenizer.texts.map((_, token) => token);
  const heads = tokens.filter((token) => (vocabulary.bytesOf(token).at(-1) ?? 0) >= 0xc2);
  return { response, vocabulary, heads };
}

it.each(names)('%s', async (name) => {
  const loudness = fc.infiniteStream(fc.integer({ min: 0, max: 100_000 }));
  const law = fc.asyncProperty(loudness, async (loud) => {
    const { response, vocabulary, heads } = await begin(name);
    while (!response.over) {
      const logits = Float32Array.from({ length: vocabulary.size }, () => loud.next().value ?? 0);
      // Characters of several tokens are begun often.
      for (const head of heads) logits[head] = (logits[head] ?? 0) + 50_000;
      maskLogits(logits, response.mask);
      const token = logits.reduce((best, logit, id) => (logit > (logits[best] ?? 0) ? id : best), 0);
      response.accept(token);
    }
    // Whole characters, all of them: anything else would throw.
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for (const token of response.tokens.slice(response.promptTokens))
      decoder.decode(vocabulary.bytesOf(token), { stream: true });
    expect(response.finish().message.role).toBe('assistant');
  });
  await fc.assert(law, { seed, numRuns: 5 });
});
