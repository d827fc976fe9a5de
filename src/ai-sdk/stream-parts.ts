/** Converts events of a response to parts of an AI SDK stream. */

import type { LanguageModelV3StreamPart, SharedV3ProviderMetadata } from '@ai-sdk/provider';
import { withoutUndefined } from '../format/option-rules.ts';
import type { Finish, Malformed, PossibleCall, Repaired, ResponseEvent } from '../parser/events.ts';
import { callUsage } from './call-usage.ts';

/**
 * Converts one response. Broken regions are closed before the end, so that every `-start` has its `-end`; malformed
 * text, repairs and what may be a call are reported in the provider's metadata of `finish`.
 */
export class StreamParts {
  readonly #openCalls = new Set<string>();
  readonly #malformed: Malformed[] = [];
  readonly #repaired: Repaired[] = [];
  readonly #possible: PossibleCall[] = [];

  /** The parts for the next event, in order. */
  next(event: ResponseEvent): readonly LanguageModelV3StreamPart[] {
    switch (event.type) {
      case 'text-start':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-end':
        return [{ type: event.type, id: event.id }];
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        return [{ type: event.type, id: event.id, delta: event.delta }];
      case 'tool-input-start':
        this.#openCalls.add(event.id);
        return [{ type: event.type, id: event.id, toolName: event.toolName }];
      case 'tool-input-end':
        this.#openCalls.delete(event.id);
        return [{ type: event.type, id: event.id }];
      case 'tool-call': {
        const { type, toolCallId, toolName, input } = event;
        return [{ type, toolCallId, toolName, input }];
      }
      case 'malformed':
        this.#malformed.push(event);
        return this.#closeCall(event.toolCallId);
      case 'repaired':
        this.#repaired.push(event);
        return [];
      case 'possible-call':
        this.#possible.push(event);
        return [];
      case 'finish':
        return [...[...this.#openCalls].flatMap((id) => this.#closeCall(id)), this.#finish(event)];
      default:
        return [];
    }
  }

  /** A broken call never becomes a `tool-call`. */
  #closeCall(id: string | undefined): readonly LanguageModelV3StreamPart[] {
    return id !== undefined && this.#openCalls.delete(id) ? [{ type: 'tool-input-end', id }] : [];
  }

  #finish(event: Finish): LanguageModelV3StreamPart {
    const isTold = this.#malformed.length + this.#repaired.length + this.#possible.length > 0;
    return {
      type: 'finish',
      finishReason: { unified: event.reason, raw: event.reason },
      usage: callUsage(event),
      ...(isTold ? { providerMetadata: this.#metadata() } : {}),
    };
  }

  #metadata(): SharedV3ProviderMetadata {
    const malformed = this.#malformed.map(({ reason, raw, expected }) => ({
      reason,
      raw,
      expected: [...expected],
    }));
    const repaired = this.#repaired.map(({ law, detail, toolCallId }) =>
      withoutUndefined({ law, detail, toolCallId }),
    );
    const possibleCalls = this.#possible.map(({ toolName, at }) => ({ toolName, at }));
    return {
      idiolect: {
        ...(malformed.length === 0 ? {} : { malformed }),
        ...(repaired.length === 0 ? {} : { repaired }),
        ...(possibleCalls.length === 0 ? {} : { possibleCalls }),
      },
    };
  }
}
