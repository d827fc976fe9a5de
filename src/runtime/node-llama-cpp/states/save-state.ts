/** Saves the evaluated state of a conversation in a file, and restores it in another process. */
import { ContextOverflowError, StateFileError, TemplateError } from '../../../format/errors.ts';
import type { Message } from '../../../format/messages.ts';
import { type OptionRules, readOptions, string } from '../../../format/option-rules.ts';
import type { ChatOptions } from '../../chat/chat-options.ts';
import { type ChatEngine, promptOf, refuseDisposed } from '../../engine/chat.ts';
import { laterFromEngine } from '../../engine/engine-failure.ts';
import type { PromptTokens } from '../../engine/tokens/prompt-tokens.ts';
import type { SavedState, StateOptions } from '../chat-model.ts';
import type { LlamaEngine } from '../llama-engine.ts';
import { asTokens, evaluateTo } from '../llama-sequence.ts';
import type { LeasedSequence } from '../sequences/sequence-pool.ts';
import { sharedLength } from '../sequences/shared-prefix.ts';
import { versionOf } from '../shared-llama.ts';
import { readStateFile, type StateOrigin, writeStateFile } from './state-file.ts';

/** The chats of a model in node-llama-cpp. */
export interface LlamaChats extends ChatEngine {
  readonly engine: LlamaEngine;
}

const stateRules: OptionRules<StateOptions> = { secret: string };

/**
 * Saves the state after the conversation's prompt, up to where its next turn begins; anything not evaluated yet is
 * evaluated first. Throws the errors that a chat with these options throws before its first token, and
 * `StateFileError`.
 */
export async function saveState(
  chats: LlamaChats,
  file: string,
  options: ChatOptions,
  given: StateOptions,
): Promise<SavedState> {
  const { secret = null } = readOptions(given, stateRules);
  const { engine } = chats;
  const prompt = promptOf(chats, options);
  const signal = options.signal ?? undefined;
  const origin = await originOf(engine, secret);
  const tokens = [...asTokens(prompt.tokens.slice(0, lastingLength(chats, options, prompt)))];
  const lease = await engine.pool.lease(tokens, signal);
  try {
    const { sequence } = lease;
    const { contextSize } = engine;
    if (tokens.length >= contextSize)
      throw new ContextOverflowError({ needed: tokens.length + 1, available: contextSize });
    const evaluate = async (): Promise<void> => {
      await lease.share(signal);
      await sequence.adaptStateToTokens(tokens, false);
      await evaluateTo(sequence, tokens, { end: tokens.length }, signal);
      lease.evaluated();
      await sequence.takeCheckpoint();
    };
    await laterFromEngine(engine.name, evaluate, signal);
    await writeStateFile(file, { ...origin, tokens: tokens.length }, (payload) =>
      sequence.saveStateToFile(payload),
    );
    return { tokens: tokens.length };
  } finally {
    lease.release();
  }
}

/**
 * Loads a state saved by this model: the next chat that continues its conversation evaluates only what is new. Throws
 * `StateFileError` if the file is damaged, or was saved with another model or another version of the engine.
 */
export async function restoreState(
  { engine }: LlamaChats,
  file: string,
  given: StateOptions,
): Promise<SavedState> {
  const { secret = null } = readOptions(given, stateRules);
  refuseDisposed(engine);
  const maxTokens = engine.contextSize - 1;
  const vocabularySize = engine.tokenizer.texts.length;
  const modelBytes = engine.file.llamaModel.size;
  const limits = { ...(await originOf(engine, secret)), maxTokens, vocabularySize, modelBytes };
  return readStateFile(file, limits, async (payload, tokens) => {
    const lease = await engine.pool.lease(tokens, undefined);
    try {
      const held = sharedLength(lease.sequence.contextTokens, tokens);
      if (held < tokens.length) await laterFromEngine(engine.name, () => load(lease, payload, file));
      return { tokens: tokens.length };
    } finally {
      lease.release();
    }
  });
}

async function load({ sequence }: LeasedSequence, payload: string, file: string): Promise<void> {
  // Its saved states belong to another conversation.
  await sequence.clearHistory();
  try {
    await sequence.loadStateFromFile(payload, { acceptRisk: true });
  } catch (cause) {
    await sequence.clearHistory();
    throw new StateFileError({ file, reason: `is refused by llama.cpp: ${String(cause)}`, cause });
  }
  await sequence.takeCheckpoint();
}

async function originOf({ file, context }: LlamaEngine, secret: string | null): Promise<StateOrigin> {
  const engine = await versionOf(file.llamaModel.llama);
  return { model: await file.identity(), engine, sequences: context.totalSequences, secret };
}

/**
 * How many of the prompt's tokens the next turn begins with. Templates render the latest answer differently from
 * earlier ones (which lose their thoughts), and models that cannot go back would have to start over.
 */
function lastingLength(chats: ChatEngine, options: ChatOptions, { tokens, turnStart }: PromptTokens): number {
  const most = Math.max(1, Math.min(turnStart, tokens.length - 1));
  const next = nextTurn(chats, options);
  return next === null ? most : Math.max(1, Math.min(most, sharedLength(tokens.slice(0, most), next)));
}

/** The prompt after one more message; `null` if the template refuses such a message here. */
function nextTurn(chats: ChatEngine, options: ChatOptions): readonly number[] | null {
  const role = options.messages.at(-1)?.role === 'assistant' ? 'user' : 'assistant';
  const message: Message = { role, content: 'Go on.' };
  try {
    return promptOf(chats, {
      ...options,
      continueFinalMessage: false,
      messages: [...options.messages, message],
    }).tokens;
  } catch (error) {
    if (error instanceof TemplateError) return null;
    throw error;
  }
}
