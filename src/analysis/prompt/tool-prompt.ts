/** What a prompt says to the model about calls: the text that a template adds where there are tools. */
import { positionsOf, scanJson } from '../literals/find-json.ts';
import type { Probing } from '../probes/probing.ts';

/** Known once the tool prompt is read. */
export interface WithToolPrompt {
  /** The prompt without the tools' own descriptions; empty where tools change nothing. */
  readonly toolPrompt: string;
}

/** Variables that are given the tools where `tools` shows none: some templates take them by another name. */
const otherNames = /^\w+_(?:tools|functions)$/;

/** Renders the prompt with tools. */
export function readToolPrompt({ template, prober }: Probing): WithToolPrompt {
  const names = ['tools', ...[...template.names].filter((name) => otherNames.test(name)).sort()];
  const shown = names
    .map((name) => prober.promptWithTools(name))
    .filter((each) => each?.includes(prober.sentinels.names[0]) === true);
  const { user, pattern } = prober.sentinels;
  // What is asked may stand on one line with what is said of calls.
  const texts = shown.map((each) => withoutTools((each ?? '').replaceAll(user, '\n'), pattern));
  return { toolPrompt: texts.join('\n\n') };
}

/** Takes out what describes the tools: JSON with sentinels in it, and lines with any that is left. */
function withoutTools(text: string, sentinels: RegExp): string {
  const isOwn = (each: string) => each.search(sentinels) >= 0;
  let kept = '';
  let from = 0;
  for (const at of positionsOf(text, '{', 0, text.length)) {
    if (at < from) continue;
    const json = scanJson(text, at);
    if (json === null || !isOwn(text.slice(at, json.end))) continue;
    kept += `${text.slice(from, at)}\n`;
    from = json.end;
  }
  const lines = (kept + text.slice(from)).split('\n');
  return lines.filter((line) => !isOwn(line)).join('\n');
}
