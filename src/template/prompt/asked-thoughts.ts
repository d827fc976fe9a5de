/** Fields of an assistant's message that are named after thoughts and read by a template. */
import type { Template, TemplateVariables } from '../parsed-template.ts';
import { namesThoughts } from './names-thoughts.ts';
import { tryObserve } from './render-attempt.ts';
import { anySentinels } from './sentinels.ts';

/** Names of such fields that none of these messages has, each rendered after a user's message. */
export function askedThoughts(
  template: Template,
  messages: readonly Readonly<Record<string, unknown>>[],
  variables: TemplateVariables = {},
): readonly string[] {
  const user = { role: 'user', content: anySentinels(template.source).user };
  const asked = messages.flatMap((message) => {
    const observed = tryObserve(template, { messages: [user, message], ...variables });
    return [...(observed?.reads ?? [])].flatMap(([path, kinds]) => (kinds.has('absent') ? [path] : []));
  });
  const fields = asked.flatMap((path) => /^messages\[1\]\.(\w+)$/.exec(path)?.[1] ?? []);
  return [...new Set(fields)].filter((field) => namesThoughts.test(field));
}
