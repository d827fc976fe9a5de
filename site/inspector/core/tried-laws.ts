/** The laws, tried on a template, with the messages that break them. */
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../../src/format/messages.ts';
import { swappedCase, verificationCases } from '../../../src/generate/verify/verification-cases.ts';
import {
  type LawBreach,
  type Verification,
  verifyTemplate,
} from '../../../src/generate/verify/verify-template.ts';
import type { TemplateInput } from './inspect-template.ts';

/** A breach, and the message that was rendered. */
export interface ShownBreach extends LawBreach {
  readonly message: AssistantMessage | null;
}

/** What came of trying the laws. */
export interface TriedLaws extends Verification {
  readonly breaches: readonly ShownBreach[];
}

/** Throws what `verifyTemplate` throws. */
export function triedLaws(input: TemplateInput, format: ChatFormat): TriedLaws {
  const { templateSource, bosToken = '', eosToken = '' } = input;
  const verification = verifyTemplate(templateSource, { format, bosToken, eosToken });
  const messages = new Map([...verificationCases, swappedCase].map(({ name, message }) => [name, message]));
  const breaches = verification.breaches.map((each) => ({
    ...each,
    message: messages.get(each.case) ?? null,
  }));
  return { ...verification, breaches };
}
