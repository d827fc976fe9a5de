/** Parts of calls that a render cannot show: white space that the caller or the template's own layout wrote. */
import type { CallsFormat, UnshownPart } from '../../format/chat-format.ts';
import type { CallsInput } from './calls-input.ts';

/** The parts, with those that are known already. */
export function unshownParts(format: CallsFormat, { prober, log }: CallsInput): Pick<CallsFormat, 'unshown'> {
  const found: UnshownPart[] = [...(format.unshown ?? [])];
  if (isCallersSpacing(format, prober.form.arguments)) {
    const { itemSeparator, keySeparator } = format.arguments.style;
    const reason = 'the template prints the JSON text that it is given: the spacing is the caller’s';
    log.support('calls.arguments.style', 'one-call', itemSeparator + keySeparator, reason, 'convention');
    found.push('spacing');
  }
  const gap = gapsOf(format).find((each) => indentation.test(each));
  if (gap !== undefined) {
    const reason = 'spaces after a marker are the layout of the template, and the model need not write them';
    log.support('calls.separator', 'two-calls', gap, reason, 'convention');
    found.push('gaps');
  }
  if (format.id?.style === 'free' && format.id.position === 'between') found.push('id');
  if (found.length === 0) return {};
  log.support(
    'calls.unshown',
    'two-calls',
    found.join(' '),
    'left to the model, because no text shows it',
    'convention',
  );
  return { unshown: found };
}

/** Whether JSON arguments are printed as the caller spelled them: in JavaScript's spelling, as probes are. */
function isCallersSpacing({ arguments: format }: CallsFormat, given: 'object' | 'string'): boolean {
  if (given !== 'string' || format.kind !== 'json' || format.encoding !== 'value') return false;
  const { itemSeparator, keySeparator, indent, python } = format.style;
  return itemSeparator === ',' && keySeparator === ':' && indent === null && python === undefined;
}

/** Several spaces or tabs in one line after a marker. */
const indentation = /\S[ \t]{2,}/u;

/** The literals in which calls adjoin each other and the section. */
function gapsOf({ section, call, separator }: CallsFormat): readonly string[] {
  return [section.open + call.open, call.close + separator + call.open, call.close + section.close];
}
