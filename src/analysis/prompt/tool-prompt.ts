/** What a prompt tells the model about calls: the text that a template adds if there are tools. */
import { positionsOf, scanJson } from '../literals/find-json.ts';
import type { Probing } from '../probes/probing.ts';

/** Known after the tool prompt has been read. */
export interface WithToolPrompt {
  /** The prompt without the descriptions of the tools; empty if tools change nothing. */
  readonly toolPrompt: string;
}

/** Variables that also receive the tools if `tools` has no effect: some templates use another name. */
const otherNames = /^\w+_(?:tools|functions)$/;

/** Renders the prompt with tools. */
export function readToolPrompt({ template, prober }: Probing): WithToolPrompt {
  const names = ['tools', ...[...template.names].filter((name) => otherNames.test(name)).sort()];
  const shown = names
    .map((name) => prober.promptWithTools(name))
    .filter((each) => each?.includes(prober.sentinels.names[0]) === true);
  const { user, pattern } = prober.sentinels;
  // A line may contain both the question and a text about calls.
  const texts = shown.map((each) => withoutTools((each ?? '').replaceAll(user, '\n'), pattern));
  return { toolPrompt: texts.join('\n\n') };
}

/** Removes the descriptions of the tools: JSON that contains sentinels, and remaining lines with sentinels. */
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
