/** Thoughts that finished turns show only if a template variable asks for them: `{% if add_thoughts %}<thinking>…`. */
import { askedThoughts } from '../../template/prompt/asked-thoughts.ts';
import { namesThoughts } from '../../template/prompt/names-thoughts.ts';
import type { Probing } from '../probes/probing.ts';
import type { TemplateProber } from '../probes/template-prober.ts';

/** More variables than this are not tried; templates have one or two. */
const mostVariables = 4;

/** A prober under which finished turns show thoughts, and the variable that it sets. */
export interface OptionalThoughts {
  readonly prober: TemplateProber;
  readonly variable: string;
}

/** Finds the variable, and the field of messages whose text it shows; `null` if there is none. */
export function findOptionalThoughts({ template, prober, probes }: Probing): OptionalThoughts | null {
  const known = new Set(prober.thinkingVariables);
  const names = [...template.names].filter((name) => namesThoughts.test(name) && !known.has(name)).sort();
  for (const variable of names.slice(0, mostVariables)) {
    const variables = { [variable]: true };
    const message = { role: 'assistant', content: prober.sentinels.content };
    for (const reasoningField of askedThoughts(template, [message], variables)) {
      const asked = prober.inForm({ ...prober.form, reasoningField }, variables);
      const turns = [probes.reasoningContent, probes.reasoningCall].map((probe) => asked.turn(probe));
      if (turns.some((turn) => turn?.includes(prober.sentinels.reasoning)))
        return { prober: asked, variable };
    }
  }
  return null;
}
