/** Chunks of a streamed response, added to the turn that they belong to. */
import type { Cost, ModelTurn, ShownCall } from './conversation.ts';

/** As far as this page reads one. */
export interface Chunk {
  readonly choices?: readonly {
    readonly delta: {
      readonly content?: string | null;
      readonly reasoning_content?: string | null;
      readonly tool_calls?: readonly {
        readonly index: number;
        readonly id?: string;
        readonly function?: { readonly name?: string; readonly arguments?: string };
      }[];
    };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  } | null;
  readonly idiolect?: { readonly malformed?: readonly { readonly raw: string }[] };
  readonly error?: { readonly message: string };
}

/** The turn with what a chunk says. */
export function addChunk(turn: ModelTurn, { choices = [], usage, idiolect, error }: Chunk): ModelTurn {
  const [choice] = choices;
  const delta = choice?.delta ?? {};
  return {
    ...turn,
    state: 'writes',
    thoughts: turn.thoughts + (delta.reasoning_content ?? ''),
    text: turn.text + (delta.content ?? ''),
    calls: (delta.tool_calls ?? []).reduce(addToCall, turn.calls),
    finish: choice?.finish_reason ?? turn.finish,
    malformed: idiolect?.malformed?.map(({ raw }) => raw) ?? turn.malformed,
    cost: usage == null ? turn.cost : costOf(usage),
    problem: error?.message ?? turn.problem,
  };
}

type CallDelta = NonNullable<NonNullable<Chunk['choices']>[number]['delta']['tool_calls']>[number];

function addToCall(
  calls: readonly ShownCall[],
  { index, id, function: called }: CallDelta,
): readonly ShownCall[] {
  const before = calls[index] ?? { id: '', name: '', arguments: '', result: null };
  const call = {
    ...before,
    id: id ?? before.id,
    name: called?.name ?? before.name,
    arguments: before.arguments + (called?.arguments ?? ''),
  };
  return [...calls.slice(0, index), call, ...calls.slice(index + 1)];
}

function costOf({
  prompt_tokens: prompt,
  completion_tokens: completion,
  prompt_tokens_details: details,
}: NonNullable<Chunk['usage']>): Cost {
  return { prompt, completion, cached: details?.cached_tokens ?? 0 };
}
