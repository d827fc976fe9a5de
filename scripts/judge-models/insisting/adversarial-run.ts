/** Every mode of a chat with models that insist on wrong texts; counts what comes out. */
import type { AssistantMessage } from '../../../src/format/messages.ts';
import { toolCalls } from '../../../test/support/rest-of-turn.ts';
import { Random } from '../../toy/random.ts';
import { isValidAnswer, Validity } from '../asking/validity.ts';
import { behaviourNames, waysOf } from './behaviours.ts';
import type { NamedTemplate } from './chat-templates.ts';
import {
  type Connect,
  type InsistedResponse,
  type InsistingModel,
  insisting,
  type Request,
} from './insisting-model.ts';
import { answerSchema, boundedTools, rightAnswer, rightCalls } from './wrong-texts.ts';

/** A text as tokens, and what is wrong with it. */
export interface WrongText {
  readonly kind: string;
  readonly tokens: readonly number[];
}

const tools = boundedTools;
const named = { type: 'function', function: { name: 'get_weather' } } as const;
const responseFormat = { type: 'json_schema', json_schema: { schema: answerSchema } } as const;

/** The modes by name. */
export const adversarialModes: Readonly<Record<string, Request>> = {
  auto: { tools },
  'auto, one call': { tools, parallelToolCalls: false },
  required: { tools, toolChoice: 'required' },
  named: { tools, toolChoice: named },
  json_schema: { responseFormat },
  'json_schema + tools': { tools, responseFormat },
};

/** What can come of a response; `withheld`: it says that its answer does not fit, and has none. The last four must not. */
export const outcomes = [
  'complete',
  'cut',
  'refused',
  'withheld',
  'invalid call',
  'invalid answer',
  'typed error',
  'untyped error',
] as const;
/** One of them. */
export type Outcome = (typeof outcomes)[number];

/** One response. */
export interface Attempt {
  readonly template: string;
  readonly mode: string;
  readonly text: WrongText;
  readonly outcome: Outcome;
  readonly response: InsistedResponse;
}

const validity = new Validity(tools);

/** The attempts of one template: `count` texts, drawn by the seed, in every mode. Default engine: in this process. */
export function attack(
  template: NamedTemplate,
  seed: number,
  count: number,
  connect?: Connect,
): AsyncGenerator<Attempt> {
  const requests = Object.values(adversarialModes);
  const attempts = async function* (model: InsistingModel): AsyncGenerator<Attempt> {
    const possible = requests.find((request) => model.allows(request)) ?? {};
    for (const text of drawWrongTexts(model, possible, new Random(seed), count)) {
      for (const [mode, request] of Object.entries(adversarialModes)) {
        const response = await model.respond(text.tokens, request);
        const outcome = outcomeOf(response, request.responseFormat !== undefined);
        yield { template: template.name, mode, text, outcome, response };
      }
    }
  };
  return insisting(template, requests, attempts, connect);
}

/** Draws texts: as many as are asked for, of all kinds in turn, from one that the seed chooses. */
export function drawWrongTexts(
  model: InsistingModel,
  request: Request,
  random: Random,
  count: number,
): readonly WrongText[] {
  const ways = behaviourNames.flatMap(waysOf);
  const first = random.between(0, ways.length - 1);
  return Array.from({ length: count }, (_, index) => {
    const [kind, draw] = ways[(first + index) % ways.length] ?? random.pick(ways);
    return { kind, tokens: draw(model.drawing(request, random, intentOf(random))) };
  });
}

function intentOf(random: Random): AssistantMessage {
  if (!random.chance(0.7)) return { role: 'assistant', content: rightAnswer };
  return { role: 'assistant', content: null, tool_calls: toolCalls([random.pick(rightCalls)]) };
}

function outcomeOf({ error, calls, cut, content, told }: InsistedResponse, answers: boolean): Outcome {
  if (error !== null) return error === 'refused' ? 'refused' : `${error} error`;
  if (calls.some((call) => !validity.isValid(call))) return 'invalid call';
  if (cut) return 'cut';
  if (!answers || calls.length > 0 || isValidAnswer(answerSchema, content)) return 'complete';
  return content === '' && told ? 'withheld' : 'invalid answer';
}
