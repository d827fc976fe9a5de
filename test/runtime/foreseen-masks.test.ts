/**
 * Law: what is asked about a position that was foreseen needs no search of the grammar any more, so nobody waits for it;
 * and foreseeing takes more than a step where many different texts may follow.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { finish } from '../../src/language/expression/steps.ts';
import { ByteAutomaton } from '../../src/language/matcher/masks/byte-automaton.ts';
import type { Matcher } from '../../src/language/matcher/matcher.ts';
import { GrammarCache } from '../../src/runtime/chat/grammar-cache.ts';
import { guessTokens } from '../../src/runtime/engine/decoding/guessed-tokens.ts';
import { forcedTokens } from '../../src/runtime/engine/masks/forced-tokens.ts';
import { foreseeMasks } from '../../src/runtime/engine/masks/foreseen-masks.ts';
import { markerEndsAt } from '../../src/runtime/engine/masks/marker-ends.ts';
import { markersOf } from '../../src/runtime/engine/tokens/marker-tokens.ts';
import { jsonInTags } from '../support/sample-formats.ts';
import { writeTokens } from '../support/scripted-run.ts';
import { bundledVocabulary } from '../support/test-models.ts';

const { model, vocabulary } = await bundledVocabulary('qwen2');
const markers = markersOf(vocabulary, jsonInTags);

describe('forced text of many characters', () => {
  const sentence = 'The weather in Bern is fine today, {"and"} tomorrow 12.5 as well. ';
  const tools = (text: string) =>
    [
      {
        type: 'function',
        function: {
          name: 'say',
          parameters: { type: 'object', properties: { text: { const: text } }, required: ['text'] },
        },
      },
    ] as const;

  it.each([2, 28, 31, 80, 400])('is written without a draw: %i sentences', (count) => {
    const text = sentence.repeat(count);
    const written = (of: string) =>
      writeTokens({
        model,
        vocabulary,
        format: jsonInTags,
        request: { tools: tools(of), toolChoice: 'required' },
        text: `<use>\n{"name": "say", "arguments": {"text": ${JSON.stringify(of)}}}\n</use>`,
        choose: () => 0,
        special: true,
        inject: true,
      });
    const long = written(text);
    expect(long.message.tool_calls?.[0]?.function.arguments ?? '').toContain(JSON.stringify(text));
    // As many as where the text is short.
    expect(long.sampled).toBe(written(sentence).sampled);
    // And the tokens are those of the whole text, as far as they are not at its ends.
    const whole = vocabulary.encodePlain(JSON.stringify(text)).slice(3, -3);
    expect(long.tokens.join()).toContain(whole.join());
  });
});

/** Words that are tokens, so that a mask follows each letter by letter. */
const words = Array.from({ length: vocabulary.size }, (_, id) =>
  Buffer.from(vocabulary.bytesOf(id)).toString(),
)
  .filter((text) => /^[a-z]{4,}$/.test(text))
  .slice(0, 3000);

function matcherOf(kinds: readonly string[]): Matcher {
  const parameters = {
    type: 'object',
    properties: { kind: { enum: kinds }, word: { enum: words } },
    required: ['kind', 'word'],
    additionalProperties: false,
  };
  const tools = [{ type: 'function', function: { name: 'spell', parameters } }] as const;
  const { matcher } = new GrammarCache().get(jsonInTags, { tools, toolChoice: 'required' });
  if (matcher === null) throw new Error('there is no grammar');
  return matcher;
}

/** A position after each character of a call. */
function positions(matcher: Matcher, text: string): readonly Matcher[] {
  const at = matcher.clone();
  return ['', ...text].map((character) => {
    expect(at.accept(character)).toBe(true);
    return at.clone();
  });
}

/** Steps, and how many they are. */
function countSteps(steps: ReturnType<typeof foreseeMasks>): number {
  for (let count = 1; ; count += 1) if (steps.next().done === true) return count;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe.each([
  ['after a choice', ['plain', 'grand']],
  ['after forced text', ['plain']],
])('a word of thousands, %s', (_, kinds) => {
  const call = `<use>\n{"name": "spell", "arguments": {"kind": "plain", "word": "${words[7]}"}}\n</use>`;

  it('is foreseen in several steps, and once', () => {
    const along = positions(matcherOf(kinds), call);
    const counts = along.map((matcher) => countSteps(foreseeMasks(matcher, vocabulary.index)));
    expect(Math.max(...counts)).toBeGreaterThan(2);
    expect(along.map((matcher) => countSteps(foreseeMasks(matcher, vocabulary.index)))).toEqual(
      along.map(() => 1),
    );
  });

  it('is not searched for when it is asked about', () => {
    for (const matcher of positions(matcherOf(kinds), call)) {
      finish(foreseeMasks(matcher, vocabulary.index));
      const next = vi.spyOn(ByteAutomaton.prototype, 'next');
      const asked = [
        forcedTokens(matcher, markers, vocabulary),
        vocabulary.allowed.bias(matcher),
        markerEndsAt(matcher, markers, vocabulary),
      ];
      expect([asked.length, next.mock.calls.length]).toEqual([3, 0]);
      vi.restoreAllMocks();
    }
  });

  it('is foreseen for guesses, too', () => {
    const fresh = positions(matcherOf(kinds), call.slice(0, call.indexOf('plain')));
    const counts = fresh.map((matcher) => {
      const steps = guessTokens(matcher, [], markers, vocabulary);
      for (let count = 1; ; count += 1) if (steps.next().done === true) return count;
    });
    expect(Math.max(...counts)).toBeGreaterThan(2);
  });
});
