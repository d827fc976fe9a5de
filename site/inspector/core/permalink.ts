/** The page's state as the fragment of its address, which browsers do not send. */
import type { TemplateInput } from './inspect-template.ts';

/** What an address holds. */
export interface SharedState {
  readonly input: TemplateInput;
  readonly output?: string;
}

/** `1.` and the state as JSON, deflated, in base64url. */
export async function writeFragment(state: SharedState): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const packed = await pass(bytes, new CompressionStream('deflate-raw'));
  let binary = '';
  for (const byte of packed) binary += String.fromCharCode(byte);
  return `1.${btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')}`;
}

/** The state of a fragment; `null` where it holds none, or what it holds is broken or more than 16 MB. */
export async function readFragment(fragment: string): Promise<SharedState | null> {
  const [, code] = /^#?1\.([\w-]+)$/.exec(fragment) ?? [];
  if (code === undefined) return null;
  try {
    const binary = atob(code.replace(/-/g, '+').replace(/_/g, '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const text = new TextDecoder().decode(await pass(bytes, new DecompressionStream('deflate-raw')));
    return readSharedState(JSON.parse(text));
  } catch {
    return null;
  }
}

/** A state as it was given from outside; `null` for anything else. */
export function readSharedState(value: unknown): SharedState | null {
  const { input, output } = recordOf(value);
  const { name, templateSource, bosToken, eosToken, addedTokens, endTokens } = recordOf(input);
  if (typeof templateSource !== 'string') return null;
  return {
    input: {
      name: typeof name === 'string' ? name : 'template',
      templateSource,
      ...(typeof bosToken === 'string' ? { bosToken } : {}),
      ...(typeof eosToken === 'string' ? { eosToken } : {}),
      ...(isTexts(addedTokens) ? { addedTokens } : {}),
      ...(isTexts(endTokens) ? { endTokens } : {}),
    },
    ...(typeof output === 'string' ? { output } : {}),
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** An address that unpacks to more is hostile. */
const mostBytes = 16_000_000;

async function pass(
  bytes: Uint8Array<ArrayBuffer>,
  through: CompressionStream | DecompressionStream,
): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(through);
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > mostBytes) throw new RangeError('too much to unpack');
    parts.push(value);
  }
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
