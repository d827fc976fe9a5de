/**
 * Warms up: does work before requests need it. Work that is done once per process, model or set of tools (reading the
 * template, sorting the vocabulary, compiling schemas, rendering and tokenising tools, V8's compilation of code) is
 * then done already, and no request waits for it.
 */

import { toolsOfTemplate } from '../../format/compiled-tools.ts';
import { IdiolectError } from '../../format/errors.ts';
import type { Message, Tool, ToolChoice } from '../../format/messages.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import { normalizeTools } from '../../tools/tools.ts';
import type { ChatOptions, PrepareOptions } from '../chat/chat-options.ts';
import { checkPrepareOptions } from '../chat/check-chat-options.ts';
import { type ChatEngine, createRun, type PreparedChat, prepareInTurns, startChat } from './chat.ts';
import type { Engine } from './engine.ts';
import { fromEngine } from './engine-failure.ts';
import type { EngineOptions } from './engine-options.ts';
import { forcedTokens } from './masks/forced-tokens.ts';
import { GrammarGuide } from './masks/grammar-guide.ts';
import { vocabularyOf } from './tokens/vocabulary.ts';

const question: Message = { role: 'user', content: 'Hello' };

/** A property of each usual type. */
const sampleTool: Tool = {
  type: 'function',
  function: {
    name: 'sample_tool',
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

/** For how many sets of compiled tools, the latest ones, a model is prepared when it is loaded. */
const maxSets = 4;

/**
 * Prepares for the first chat, unless it has to analyse the template: that takes longer, and may never be needed. The
 * vocabulary is read in any case: a chat would hold all others meanwhile.
 */
export async function warmEngine(shared: ChatEngine, { requireTools }: EngineOptions): Promise<ChatEngine> {
  void vocabularyOf(shared.engine.tokenizer).index;
  if (requireTools !== false && shared.templates.knowsTools) await warmUp(shared);
  return shared;
}

/**
 * What is prepared when a model is loaded: the tools that were compiled for its template, or any tool. If the template or the tools
 * cannot be used, an actual chat will report it.
 */
async function warmUp(shared: ChatEngine): Promise<void> {
  const { templateSha256 } = shared.templates.learn(true).format;
  const compiled = toolsOfTemplate(templateSha256).slice(0, maxSets);
  const sets = compiled.map(({ tools, compiled: { policy } }) => ({ tools, policy }));
  const requests: readonly PrepareOptions[] =
    sets.length > 0 ? sets : [{ tools: [sampleTool], toolChoice: 'required' }];
  for (const request of requests) {
    try {
      await prepareModel(shared, request);
      // A response of no tokens uses the same code as others, except for the engine.
      await startChat(shared, { ...request, messages: [question], maxTokens: 0 }).message;
    } catch (error) {
      if (!(error instanceof IdiolectError)) throw error;
    }
  }
}

/** Prepares chats with these options up to their first token. Throws the errors of those chats. */
export async function prepareModel(shared: ChatEngine, options: PrepareOptions): Promise<void> {
  const given = checkPrepareOptions(options);
  for (const toolChoice of choicesOf(given)) {
    for (const thinking of given.thinking === undefined ? [undefined, true, false] : [given.thinking]) {
      const request: ChatOptions = {
        ...given,
        messages: beginningOf(given.messages ?? []),
        ...withoutUndefined({ toolChoice, thinking }),
      };
      begin(shared.engine, await prepareInTurns(shared, request));
    }
  }
  void vocabularyOf(shared.engine.tokenizer).index;
}

/** The usual choices if none is given; `required` only if a call can be required. */
function choicesOf(given: PrepareOptions): readonly (ToolChoice | undefined)[] {
  const { tools = [], toolChoice, responseFormat, continueFinalMessage } = given;
  const offered = normalizeTools(tools).length > 0;
  const fixed = toolChoice !== undefined || responseFormat !== undefined || continueFinalMessage === true;
  return fixed || !offered ? [toolChoice] : ['auto', 'required'];
}

/** Few templates render a conversation without a question. */
function beginningOf(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1)?.role ?? 'system';
  return last === 'system' || last === 'developer' ? [...messages, question] : messages;
}

/** What a response does before its first token, and at the beginning of its grammar; cached by position. */
function begin(engine: Engine, prepared: PreparedChat): void {
  createRun(prepared, Number.MAX_SAFE_INTEGER).start();
  const { matcher, grammar, markers, vocabulary } = prepared;
  if (matcher === null || !grammar.lazy) return;
  const written = grammar.triggers.flatMap(({ type, value }) => (type === 'word' ? [value] : []));
  for (const trigger of new Set(['', ...written])) {
    const opened = matcher.clone();
    if (!opened.accept(trigger)) continue;
    const { after } = forcedTokens(opened, markers, vocabulary);
    const guide = new GrammarGuide({ vocabulary, markers, inject: true });
    guide.prepare(after, false);
    if (!guide.unmasked) fromEngine(engine.name, () => engine.build?.(after));
  }
}
