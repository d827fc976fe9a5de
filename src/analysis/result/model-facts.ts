/** What a model's own files say of its tokens, as evidence for or against the format that its template shows. */
import type { CallsFormat, ChatFormat, Delimiters } from '../../format/chat-format.ts';
import { mirror } from '../literals/mirror.ts';
import { isMarker, tokens } from '../literals/tokens.ts';
import type { Probing } from '../probes/probing.ts';

type Given = Pick<Probing, 'log' | 'facts'>;

/** Calls whose closer repeats their opener: if the vocabulary has the opener's counterpart, that is the closer. */
export function pairByVocabulary({ calls, facts, log }: Given & { readonly calls: CallsFormat | null }): {
  readonly calls: CallsFormat | null;
} {
  if (calls === null) return { calls };
  const added = new Set(facts.addedTokens);
  const paired = (field: string, { open, close }: Delimiters): Delimiters => {
    const marker = tokens(open.trim())[0] ?? '';
    const closer = mirror(marker);
    if (closer === null || !added.has(closer) || close.trim() !== open.trim()) return { open, close };
    const reason = `the vocabulary has ${closer}, and the opener stands where it belongs`;
    log.support(`calls.${field}.close`, 'vocabulary', close, reason, 'model');
    log.warn({ field: `calls.${field}.close`, kind: 'model', message: reason, rendered: close });
    return { open, close: close.replace(marker, closer) };
  };
  const [section, call] = [paired('section', calls.section), paired('call', calls.call)];
  const isSame = section.close === calls.section.close && call.close === calls.call.close;
  return { calls: isSame ? calls : { ...calls, section, call, basis: 'prompt' } };
}

/** A marker in the spelling of special tokens. */
const special = /^<[|｜].*[|｜]>$/u;

/** Warns where the model's files contradict the finished format. */
export function compareWithModel({ format, facts, log }: Given & { readonly format: ChatFormat }): object {
  const { addedTokens = [], endTokens = [] } = facts;
  const { stops } = format;
  if (
    endTokens.length > 0 &&
    stops.length > 0 &&
    !stops.some((stop) => endTokens.some((end) => stop.includes(end)))
  ) {
    const message =
      `generation ends at ${endTokens.join(' or ')}, and finished turns end with ${stops.join(' or ')}: ` +
      'a response may go on after its end';
    log.warn({ field: 'stops', kind: 'model', message });
  }
  if (addedTokens.length === 0) return {};
  const known = new Set(addedTokens);
  const unknown = format.preservedTokens.filter(
    (marker) => isMarker(marker) && special.test(marker) && !known.has(marker),
  );
  if (unknown.length > 0) {
    const message = `${unknown.join(', ')}: spelled like special tokens, and none of the vocabulary's: the model may write something else`;
    log.warn({ field: 'preservedTokens', kind: 'model', message });
  }
  const tokensOfCalls = addedTokens.filter((each) => /tool_?call|function_?call/iu.test(each));
  if (format.calls === null && tokensOfCalls.length > 0) {
    const message = `the vocabulary has ${tokensOfCalls.join(', ')}, and no text shows calls`;
    log.warn({ field: 'calls', kind: 'model', message });
  }
  return {};
}
