/** Thoughts for which a template has a type of parts that no probe is made of. */
import type { ChatFormat } from '../../format/chat-format.ts';
import type { Probing } from '../probes/probing.ts';
import { namesThoughts } from './names-thoughts.ts';

type Given = Pick<Probing, 'log' | 'template'> & { readonly format: ChatFormat };

/** Warns where no render shows thoughts, and the template tells parts apart by a type that is named after them. */
export function warnOfUnrenderedThoughts({ format, template, log }: Given): object {
  if (format.reasoning !== null) return {};
  const types = [...template.comparedTypes].filter((type) => namesThoughts.test(type)).sort();
  if (types.length === 0) return {};
  const written = types.map((type) => JSON.stringify(type)).join(', ');
  const message =
    `the template looks for parts of the type ${written}, and no message that was tried renders thoughts: ` +
    'if the model writes them, an override has to say how';
  log.warn({ field: 'reasoning', kind: 'assumed', message });
  return {};
}
