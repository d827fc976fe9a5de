/** Runs one row: a scripted model that behaves as the row says, asked for what the row says. */
import { type Drawing, waysOf } from '../../../scripts/judge-models/insisting/behaviours.ts';
import { Spelling } from '../../../scripts/judge-models/insisting/spelling.ts';
import { boundedTools } from '../../../scripts/judge-models/insisting/wrong-texts.ts';
import { Random } from '../../../scripts/toy/random.ts';
import { createResponseParser } from '../../../src/codegen/create-response-parser.ts';
import { IdiolectError } from '../../../src/format/errors.ts';
import type { AssistantMessage } from '../../../src/format/messages.ts';
import type { ResponseMessage } from '../../../src/parser/events.ts';
import type { ChatOptions } from '../../../src/runtime/chat/chat-options.ts';
import { type Vocabulary, vocabularyOf } from '../../../src/runtime/engine/tokens/vocabulary.ts';
import { restOfTurn } from '../rest-of-turn.ts';
import { askSdk } from './ai-sdk-calls.ts';
import { type Row, rowText } from './dimensions.ts';
import type { Exchange } from './handed.ts';
import { type CoveredModel, modelOf, NotedModel, type Told } from './models.ts';
import { cutPlace, intentOf, requestOf } from './request.ts';
import { askServer } from './served-apis.ts';

/** What a row was, and what came of it. */
export interface RowOutcome {
  readonly row: Row;
  readonly options: ChatOptions & { readonly maxTokens: number };
  readonly intent: ResponseMessage;
  /** Which way of behaving was drawn, and what it wanted to write. */
  readonly way: string;
  readonly script: string;
  readonly generationPrompt: string;
  /** Why there is no prompt for the request, as its preview says; `null` where there is one. */
  readonly refusal: IdiolectError | null;
  /** Each chat that was asked: two in APIs that answer whole and in a stream. */
  readonly told: readonly Told[];
  /** What a client of an API got; `null` for models that are asked directly. */
  readonly exchange: Exchange | null;
  /** What came of a plain chat after it. */
  readonly next: Told;
}

const roomy = 300;
/** What the chat after it answers. */
export const nextAnswer = 'Good morning.';

/** Runs a row; the same seed repeats it. */
export async function runRow(row: Row, seed: number): Promise<RowOutcome> {
  const random = new Random(seedOf(rowText(row), seed));
  const model = await modelOf(row);
  const { format } = model.template;
  const request = requestOf(row, random.between(1, 1_000_000));
  const { generationPrompt, promptTokens, refusal } = promptOf(model, request);
  const vocabulary = vocabularyOf(model.engine.tokenizer);
  const spelling = new Spelling(vocabulary, format);
  const intent = intentOf(row, format, random);
  const write = (message: AssistantMessage): string =>
    restOfTurn(format, generationPrompt, message, [...(request.tools === undefined ? [] : boundedTools)]);
  const turn = (text: string): readonly number[] => spelling.encodeTurn(text);
  const drawing: Drawing = { format, spelling, random, intent, write, turn };
  const [way, draw] = random.pick(waysOf(row.behaviour));
  const script = draw(drawing);
  const cut = spelling.encode(cutPlace(row, write(intent), intent)).length;
  const options = { ...request, maxTokens: row.limit === 'roomy' ? roomy : Math.max(1, cut) };
  model.engine.insistOn(script, promptTokens);
  // A text without a prompt is nothing that can be read: a chat says whether there is none.
  const asked =
    refusal !== null && row.engine === 'text alone' ? ({ ...row, engine: 'in process' } as const) : row;
  const result = await ask(asked, model, options, script, vocabulary, generationPrompt);
  return {
    ...{ row, options, intent, way, generationPrompt, refusal },
    script: textOf(script, vocabulary),
    ...result,
    next: await nextChat(model),
  };
}

type Asked = Pick<RowOutcome, 'told' | 'exchange'>;

async function ask(
  row: Row,
  model: CoveredModel,
  options: ChatOptions,
  script: readonly number[],
  vocabulary: Vocabulary,
  generationPrompt: string,
): Promise<Asked> {
  const { engine } = row;
  if (engine === 'text alone') {
    const told = await readAlone(row, model, options, script, vocabulary, generationPrompt);
    return { told: [told], exchange: null };
  }
  const { injectForcedText, speculate, logitBias } = options;
  const unknown = { injectForcedText, speculate, ...(engine === 'chat completions' ? {} : { logitBias }) };
  const more = Object.entries(unknown).filter(([, value]) => value !== undefined);
  if (engine === 'chat completions' || engine === 'responses' || engine === 'messages') {
    const noted = new NotedModel(model.asked, Object.fromEntries(more));
    return { exchange: await askServer(noted, engine, options), told: await noted.all() };
  }
  const noted = new NotedModel(model.asked);
  if (engine === 'AI SDK') return { exchange: await askSdk(noted, options), told: await noted.all() };
  await drain(noted, options);
  return { exchange: null, told: await noted.all() };
}

/** Errors are noted. */
async function drain(model: NotedModel, options: ChatOptions): Promise<void> {
  try {
    for await (const _ of model.chat(options));
  } catch {
    return;
  }
}

/** The parser by itself, in which the script is a text that somebody sampled. */
async function readAlone(
  { leniency }: Row,
  { template }: CoveredModel,
  { tools, toolChoice, parallelToolCalls = true, maxTokens = roomy }: ChatOptions,
  script: readonly number[],
  vocabulary: Vocabulary,
  generationPrompt: string,
): Promise<Told> {
  const offered = tools === undefined || toolChoice === 'none' ? [] : boundedTools;
  const parser = createResponseParser(template.format, {
    ...{ tools: offered, leniency, parallelToolCalls, generationPrompt },
  });
  const { stops } = template.format;
  const end = script.findIndex((token) => [...stops, '</s>'].includes(textOf([token], vocabulary)));
  const written = script.slice(0, end < 0 ? script.length : end).slice(0, maxTokens);
  const isCut = written.length === maxTokens;
  const decoder = new TextDecoder();
  const pieces = written.map((token) => ({
    text: decoder.decode(vocabulary.bytesOf(token), { stream: true }),
    special: vocabulary.isSpecial(token),
  }));
  const events = [...parser.feed(pieces)];
  const last = parser.finish(isCut ? 'length' : 'stop');
  return { events: [...events, ...last.events], message: last.message, usage: null, error: null };
}

/** A plain question, and a plain answer. */
async function nextChat({ engine, asked, local, template: { format } }: CoveredModel): Promise<Told> {
  const options = { messages: [{ role: 'user', content: 'Hello' }], maxTokens: 60 } as const;
  const { generationPrompt, promptTokens } = local.preview(options);
  const spelling = new Spelling(vocabularyOf(engine.tokenizer), format);
  const text = restOfTurn(format, generationPrompt, { role: 'assistant', content: nextAnswer });
  engine.insistOn(spelling.encodeTurn(text), promptTokens);
  const noted = new NotedModel(asked);
  await drain(noted, options);
  const [told] = await noted.all();
  if (told === undefined) throw new Error('the chat did not begin');
  return told;
}

interface WrittenPrompt {
  /** The part of the turn that the prompt writes. */
  readonly generationPrompt: string;
  readonly promptTokens: number | null;
  readonly refusal: IdiolectError | null;
}

/** A prompt that is refused writes nothing; the chat must refuse it, too. */
function promptOf({ local }: CoveredModel, request: ChatOptions): WrittenPrompt {
  try {
    return { ...local.preview(request), refusal: null };
  } catch (error) {
    if (error instanceof IdiolectError) return { generationPrompt: '', promptTokens: null, refusal: error };
    throw error;
  }
}

function textOf(tokens: readonly number[], vocabulary: Vocabulary): string {
  const bytes = tokens.flatMap((token) => [...vocabulary.bytesOf(token)]);
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/** A number that depends on every character (FNV-1a). */
function seedOf(text: string, seed: number): number {
  let hash = 0x811c9dc5 ^ seed;
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193);
  return hash >>> 0;
}
