/**
 * Law: where a call or an answer is demanded, a model that ends its turn within its thoughts is not understood to have
 * ended it. In this process and on servers that do not count the format's ends of a turn among their own, in every
 * format but those in which each region has a header, where such an end begins another one.
 */
import { describe, expect, it } from 'vitest';
import { generatedTemplates } from '../../scripts/judge-models/insisting/chat-templates.ts';
import { InsistingEngine, type Request } from '../../scripts/judge-models/insisting/insisting-model.ts';
import { Spelling } from '../../scripts/judge-models/insisting/spelling.ts';
import { answerSchema, boundedTools, rightAnswer } from '../../scripts/judge-models/insisting/wrong-texts.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { coresOf } from '../../src/layout/marker.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import {
  type ChatOptions,
  type ChatPreview,
  connectEngine,
  type EngineModel,
} from '../../src/runtime/engine/index.ts';
import { vocabularyOf } from '../../src/runtime/engine/tokens/vocabulary.ts';
import { connectEngineServer } from '../support/engine-server.ts';
import { restOfTurn, toolCalls } from '../support/rest-of-turn.ts';
import { sampled } from '../support/sample.ts';

const role = 'assistant';
const thoughts = 'I think.';
/** What a scripted model writes in place of a token that it may not write, by which it finds the rest of its script. */
const instead = '""';
const more = 'Is that all?';
const messages = [{ role: 'user', content: 'What shall I wear?' }] as const;
const city = { city: 'Bern', days: 3 };

/** What is demanded, and what the model has in mind. */
const demands: readonly (readonly [Request, AssistantMessage])[] = [
  [
    { tools: boundedTools, toolChoice: 'required' },
    { role, content: null, tool_calls: toolCalls([['get_weather', city]]) },
  ],
  [
    { responseFormat: { type: 'json_schema', json_schema: { schema: answerSchema } } },
    { role, content: rightAnswer },
  ],
];

const engines = ['in process', 'llama-server', 'vllm', 'sglang'] as const;

const templates = (await generatedTemplates()).filter(({ format }) => {
  const { headed, reasoning } = turnLayout(format);
  return !headed && reasoning?.close.isBlank === false && format.stops.length > 0;
});

/** The ends of a turn that no end of thoughts contains. */
function endsOf({ format }: (typeof templates)[number]): readonly string[] {
  const { ends, reasoning } = turnLayout(format);
  return coresOf(ends).filter((end) => reasoning?.close.core.includes(end) !== true);
}

/** `null` if the template refuses the request. */
function previewOf(model: EngineModel, options: ChatOptions): ChatPreview | null {
  try {
    return model.preview(options);
  } catch (error) {
    if (error instanceof IdiolectError) return null;
    throw error;
  }
}

/** How many responses were tried: some prompts close the thoughts. */
let tried = 0;

describe.each(sampled([...templates.entries()], 10).map(([at, template]) => ({ ...template, at })))(
  '$name',
  (template) => {
    it.each(sampled(engines, 2, template.at))(
      '%s: a turn that ends within thoughts goes on',
      async (kind) => {
        const { format } = template;
        const engine = new InsistingEngine(template);
        const local = await connectEngine(engine, { requireTools: false });
        const model = kind === 'in process' ? local : await connectEngineServer(engine, kind);
        const spelling = new Spelling(vocabularyOf(engine.tokenizer), format);
        for (const [request, intent] of demands) {
          const options = { messages, thinking: true, temperature: 0, maxTokens: 400, ...request };
          const prompt = previewOf(local, options);
          if (prompt === null) continue;
          const { generationPrompt, promptTokens } = prompt;
          const thoughtful = { ...intent, reasoning_content: thoughts };
          const text = restOfTurn(format, generationPrompt, thoughtful, request.tools ? boundedTools : []);
          if (!text.includes(thoughts)) continue;
          for (const end of endsOf(template)) {
            const ended = text.replace(thoughts, `${thoughts}${end}${instead}${more}`);
            engine.insistOn(spelling.encodeTurn(ended), promptTokens);
            const message = await model.chat(options).message;
            expect(message.malformed).toBeUndefined();
            expect(message.reasoning_content).toContain(more);
            expect(
              message.tool_calls?.map(({ function: { arguments: input } }) => JSON.parse(input)),
            ).toEqual(intent.content === null ? [city] : undefined);
            if (intent.content !== null)
              expect(JSON.parse(message.content ?? '')).toEqual(JSON.parse(rightAnswer));
            tried += 1;
          }
        }
      },
    );
  },
);

it('the law tries models that think', () => expect(tried).toBeGreaterThan(0));
