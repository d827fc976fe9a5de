/** How hard a model is to think, in the words of other APIs. */
import type { ChatOptions } from './chat-options.ts';

/** Efforts are the template's own words; all that every template can be asked is whether to think. */
export function effortOptions(effort: string): Pick<ChatOptions, 'thinking' | 'templateVariables'> {
  if (effort === 'none') return { thinking: false };
  return { thinking: true, templateVariables: { reasoning_effort: templateEffort(effort) } };
}

/** Templates know three. */
function templateEffort(effort: string): string {
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort;
}
