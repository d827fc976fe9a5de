/** Calls with openers in other white space: what is read must be enforced or validated. */
import type { NamedTemplate } from '../insisting/chat-templates.ts';
import { type InsistedResponse, insisting } from '../insisting/insisting-model.ts';
import { callsText, openerVariants } from '../insisting/other-spellings.ts';
import { boundedTools } from '../insisting/wrong-texts.ts';

/** What became of one variant. */
export interface VariantOutcome {
  readonly template: string;
  readonly change: string;
  readonly text: string;
  readonly response: InsistedResponse;
  /** A call was handed out. */
  readonly read: boolean;
  /** It was handed out neither enforced nor validated. */
  readonly unassured: boolean;
}

const call = ['get_weather', { city: 'Bern', days: 3, unit: 'celsius' }] as const;

/** Writes every variant of the template's opener. */
export function tryOpeners(template: NamedTemplate): AsyncGenerator<VariantOutcome> {
  const { format, name } = template;
  const variants = openerVariants(format, callsText(format, [call]));
  const request = { tools: boundedTools };
  return insisting(template, [request], async function* (model) {
    for (const variant of variants) {
      const response = await model.respond(model.encodeResponse(request, variant.text), request);
      const unassured = response.calls.some(({ assurance }) => assurance === 'none');
      yield { template: name, ...variant, response, read: response.calls.length > 0, unassured };
    }
  });
}
