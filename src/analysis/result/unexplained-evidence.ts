/** Evidence that no part of the format explains: each kind is a warning, because it nearly always means an error. */
import type { ChatFormat } from '../../format/chat-format.ts';
import type { Probing } from '../probes/probing.ts';

type Given = Pick<Probing, 'log'> & { readonly format: ChatFormat };

/** Warns of tools without calls, and of calls that open and close with the same marker. */
export function warnOfUnexplainedEvidence({ format, log }: Given): object {
  const { calls, capabilities } = format;
  const isTold = log.warnings.some(({ field }) => field === 'calls');
  if (calls === null && capabilities.supportsTools && !isTold) {
    const message =
      'the prompt describes tools, and neither finished turns nor the prompt show a call: calls cannot be read, ' +
      'and if the model writes any, they are part of its answer';
    log.warn({ field: 'calls', kind: 'assumed', message });
  }
  for (const [field, { open, close }] of calls === null
    ? []
    : Object.entries({ section: calls.section, call: calls.call })) {
    if (open.trim() === '' || open.trim() !== close.trim()) continue;
    const message = `${JSON.stringify(open)} opens and closes calls: one of the two is an error of the template`;
    log.warn({ field: `calls.${field}.close`, kind: 'history', message });
  }
  return {};
}
