/** Log lines of finished requests. */
import pc from 'picocolors';
import type { RequestRecord } from '../../serve/index.ts';
import { terminalText } from '../terminal-text.ts';

/** For people: `12:00:01 200 /v1/chat/completions qwen3  830 tokens (812 cached) → 42 (12 injected), 1 call  0.31 s, 1.90 s`. */
export function logLine(record: RequestRecord, now: Date): string {
  const { endpoint, model, status, code, usage, calls, malformed } = record;
  const paint = status < 400 ? pc.green : status < 500 ? pc.yellow : pc.red;
  const parts = [
    pc.dim(now.toTimeString().slice(0, 8)),
    paint(String(status)),
    endpoint,
    ...(model === null ? [] : [pc.bold(terminalText(model).replaceAll(/\s+/g, ' '))]),
    ...(code === null ? [] : [code]),
    ...(usage === null ? [] : [tokens(usage)]),
    ...(calls === 0 ? [] : [`${calls} ${calls === 1 ? 'call' : 'calls'}`]),
    ...(malformed === 0 ? [] : [pc.yellow(`${malformed} malformed`)]),
    pc.dim(times(record)),
  ];
  return `${parts.join('  ')}\n`;
}

function tokens({
  promptTokens,
  cachedTokens,
  completionTokens,
  injectedTokens,
}: NonNullable<RequestRecord['usage']>): string {
  const cached = cachedTokens === null ? '' : ` (${cachedTokens} cached)`;
  const injected = injectedTokens === 0 ? '' : ` (${injectedTokens} injected)`;
  return `${promptTokens}${cached} → ${completionTokens}${injected} tokens`;
}

/** The times of the first and the last event. */
function times({ firstEventMs, totalMs }: RequestRecord): string {
  const shown = firstEventMs === null ? [totalMs] : [firstEventMs, totalMs];
  return shown.map((milliseconds) => `${(milliseconds / 1000).toFixed(2)} s`).join(', ');
}

/** For programs: a JSON object on one line. */
export function logJson(record: RequestRecord, now: Date): string {
  return `${JSON.stringify({ time: now.toISOString(), ...record })}\n`;
}
