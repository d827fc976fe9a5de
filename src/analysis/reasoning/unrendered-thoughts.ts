/** Thoughts that a template mentions, in a form that no probe has. */
import type { ChatFormat } from '../../format/chat-format.ts';
import { askedThoughts } from '../../template/prompt/asked-thoughts.ts';
import { namesThoughts } from '../../template/prompt/names-thoughts.ts';
import { effortVariable } from '../../template/prompt/thinking-switches.ts';
import { isMarker, tokens } from '../literals/tokens.ts';
import type { Probing } from '../probes/probing.ts';
import type { WithToolPrompt } from '../prompt/tool-prompt.ts';

type Given = Pick<Probing, 'log' | 'template' | 'prober'> & WithToolPrompt & { readonly format: ChatFormat };

/** Warns if the template has thoughts that the format lacks. */
export function warnOfUnrenderedThoughts(given: Given): object {
  if (given.format.reasoning !== null) return {};
  const { reasoningField } = given.format.input;
  if (reasoningField !== null) {
    const message = `finished turns show \`${reasoningField}\`, but not before the answer and the calls: the reasoning that the model writes cannot be read`;
    given.log.warn({ field: 'reasoning', kind: 'self-check', message });
    return {};
  }
  const signs = [
    comparedTypes(given),
    askedFields(given),
    closersInSource(given),
    markersInToolPrompt(given),
    effortInPrompt(given),
  ];
  for (const sign of signs.filter((each) => each !== null)) {
    const message = `${sign}, and no message that was tried renders thoughts: if the model writes them, an override has to say how`;
    given.log.warn({ field: 'reasoning', kind: 'assumed', message });
  }
  return {};
}

/** Parts whose compared type is named after thoughts. */
function comparedTypes({ template }: Given): string | null {
  const types = [...template.comparedTypes].filter((type) => namesThoughts.test(type)).sort();
  return types.length === 0 ? null : `the template looks for parts of the type ${quoted(types)}`;
}

/** Fields that are named after thoughts but do not render text: they may expect lists, for example. */
function askedFields({ template, prober }: Given): string | null {
  const fields = askedThoughts(template, [{ role: 'assistant', content: prober.sentinels.content }]);
  return fields.length === 0 ? null : `the template looks for ${quoted(fields)} in an assistant's message`;
}

/** Closers named after thoughts that the template's source strips, compares or writes. */
function closersInSource({ template }: Given): string | null {
  const closers = tokens(template.source).filter(
    (token) =>
      isMarker(token) && token.includes('/') && namesThoughts.test(token) && !/[\s'"{}]/u.test(token),
  );
  return closers.length === 0 ? null : `the template mentions ${quoted([...new Set(closers)])}`;
}

/** Markers named after thoughts in the description of tools. */
function markersInToolPrompt({ toolPrompt }: Given): string | null {
  const named = tokens(toolPrompt).filter((token) => isMarker(token) && namesThoughts.test(token));
  return named.length === 0 ? null : `the prompt shows the model ${quoted([...new Set(named)])}`;
}

/** A generation prompt whose end depends on the effort of thinking. */
function effortInPrompt({ template, prober }: Given): string | null {
  const prompt = (variables: object) =>
    prober
      .render(null, 'unset', { add_generation_prompt: true, ...variables })
      ?.split(prober.sentinels.user)
      .at(-1);
  const plain = prompt({});
  for (const name of [...template.names].filter((each) => effortVariable.test(each))) {
    const asked = prompt({ [name]: 'high' });
    if (asked !== undefined && asked !== plain)
      return `\`${name}\` changes the generation prompt to ${quoted([asked])}`;
  }
  return null;
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(', ');
}
