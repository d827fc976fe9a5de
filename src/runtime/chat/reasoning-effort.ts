/** The effort of thinking, as in other APIs. */
import type { ChatOptions } from './chat-options.ts';

/** Efforts are words of the template; every template only knows whether to think. */
export function effortOptions(effort: string): Pick<ChatOptions, 'thinking' | 'templateVariables'> {
  if (effort === 'none') return { thinking: false };
  return { thinking: true, templateVariables: { reasoning_effort: templateEffort(effort) } };
}

/** Templates know three efforts. */
function templateEffort(effort: string): string {
  if (effort === 'minimal') return 'low';
  return effort === 'xhigh' || effort === 'max' ? 'high' : effort;
}
