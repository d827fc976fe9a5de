/**
 * A request that nobody made, worked out when a model is loaded. What is done once per process or model
 * (reading the template, sorting the vocabulary, the engine's compiling of JavaScript that is new to it)
 * is then done, and the first real request does not wait for it.
 */
import { IdiolectError } from '../../../errors.ts';
import type { Matcher } from '../../../grammar/matcher.ts';
import type { Tool } from '../../../messages.ts';
import { type ChatEngine, type ChatOptions, createRun, prepareChat } from './chat.ts';
import { requireBuildable } from './engine-states.ts';
import { GrammarGuide } from './grammar-guide.ts';
import type { MarkerTokens } from './marker-tokens.ts';

/** A value of each usual kind. */
const tool: Tool = {
  type: 'function',
  function: {
    name: 'rehearse',
    description: 'Does nothing.',
    parameters: {
      type: 'object',
      properties: {
        text: { type: 'string', maxLength: 100 },
        kind: { type: 'string', enum: ['one', 'other'] },
        count: { type: 'integer', minimum: 1, maximum: 9 },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['text', 'kind'],
      additionalProperties: false,
    },
  },
};

const options = {
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [tool],
} as const satisfies ChatOptions;

/** Prepares a chat up to its first token. Where the template cannot be used so, a real chat will say it. */
export function rehearse(engine: ChatEngine): void {
  try {
    const { format } = engine.shelf.learn(true);
    const ahead = engine.grammars.compiledAhead(format);
    // With grammars that were compiled ahead nobody needs the compiler.
    const asked = { ...options, toolChoice: ahead.length === 0 ? 'required' : 'none' } as const;
    const prepared = prepareChat(engine, asked);
    createRun(engine, prepared, asked, Number.MAX_SAFE_INTEGER).start();
    for (const matcher of ahead) start(engine, matcher, prepared.markers);
    void engine.vocabulary.index;
  } catch (error) {
    if (!(error instanceof IdiolectError)) throw error;
  }
}

/** What a response does at the beginning of a grammar, and is remembered by the place. */
function start({ model, vocabulary }: ChatEngine, matcher: Matcher, markers: MarkerTokens): void {
  requireBuildable(matcher, model);
  const guide = new GrammarGuide({ model, vocabulary, markers, matcher, inject: true });
  guide.startBehind(new Uint8Array());
  guide.bias();
}
