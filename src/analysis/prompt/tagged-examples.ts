/**
 * Calls whose arguments stand in markers, as a prompt shows them:
 *
 *     <tool_call>function_name\n<arg_key>parameter_name</arg_key>\n<arg_value>parameter_value</arg_value>\n</tool_call>
 *     <tool_call>\n<function=function_name>\n<parameter=parameter_name>\nvalue\n</parameter>\n</function>\n</tool_call>
 *     <function name="function-name"><param name="param-name">param-value</param></function>
 */
import { mirror } from '../literals/mirror.ts';
import { maxExampleLength, sampleWords, type TaggedExample } from './call-example.ts';

/** The first example of either kind. */
export function findTagged(prompt: string): TaggedExample | null {
  return findElements(prompt) ?? findNamedElements(prompt);
}

const keyAndValue =
  /(<[^<>/\s][^<>]{0,40}>)[^<>\n]{1,60}(<\/[^<>]{1,41}>)(\s*)(<[^<>/\s][^<>]{0,40}>)[^<>]{1,60}(<\/[^<>]{1,41}>)(\s*)/gu;

/** A call's opener and name at the end of a text, which is short. */
const nameBefore = /(<[^<>/\s][^<>]{0,40}>)([^<>\n]{1,60})(\s*)$/u;
const headLength = 300;

/** Keys and values in elements of their own. */
function findElements(prompt: string): TaggedExample | null {
  for (const match of prompt.matchAll(keyAndValue)) {
    const [whole, keyOpen = '', keyClose = '', gap = '', valueOpen = '', valueClose = '', separator = ''] =
      match;
    if (mirror(keyOpen) !== keyClose || mirror(valueOpen) !== valueClose) continue;
    const head = nameBefore.exec(prompt.slice(Math.max(0, match.index - headLength), match.index));
    if (head === null) continue;
    const [opening, open = '', , afterName = ''] = head;
    const closer = mirror(open);
    const end = closer === null ? -1 : prompt.indexOf(closer, match.index + whole.length);
    if (closer === null || end < 0 || end - match.index > maxExampleLength) continue;
    return tagged(prompt.slice(match.index - opening.length, end + closer.length), {
      section: { open: '', close: '' },
      open,
      afterName,
      keyOpen,
      keyToValue: keyClose + gap + valueOpen,
      valueClose,
      separator,
      close: separator + closer,
    });
  }
  return null;
}

type Parts = Omit<TaggedExample, 'kind' | 'text' | 'sample'>;

function tagged(text: string, parts: Parts): TaggedExample {
  const { name, key, value } = sampleWords;
  const { section, open, afterName, keyOpen, keyToValue, valueClose, close } = parts;
  const call = open + name + afterName + keyOpen + key + keyToValue + value + valueClose + close;
  const sample = { text: section.open + call + section.close, name, arguments: { [key]: value } };
  return { kind: 'tagged', text, ...parts, sample: { ...sample, isWhole: true } };
}

/** An element that is opened with a name: `<parameter=city>`, `<invoke name="find">`, `<p name="a" string="true|false">`. */
const opening = String.raw`<([^\s<>=/"]{1,30})(=|\s+name=")([^"<>=\s]{1,60})("[^<>\n]{0,40}|)>`;
const callElement = new RegExp(String.raw`${opening}(\s*)(?=${opening})`, 'gu');
const entryElement = new RegExp(
  String.raw`^${opening}([^<>]{1,200}|<!\[CDATA\[[^<>]{0,100}\]\]>)</\1>(\s*)`,
  'u',
);

/** Keys in the openers of their elements. */
function findNamedElements(prompt: string): TaggedExample | null {
  for (const match of prompt.matchAll(callElement)) {
    const [head, tag = '', naming = '', , attributes = '', gap = ''] = match;
    const entries = entriesAt(prompt, match.index + head.length);
    const [first] = entries.all;
    if (first === undefined) continue;
    const after = /^(?:\.{3}\s*)?/u.exec(prompt.slice(entries.end))?.[0] ?? '';
    const closer = `</${tag}>`;
    const closeAt = entries.end + after.length;
    if (!prompt.startsWith(closer, closeAt)) continue;
    const end = closeAt + closer.length;
    const outer = outerElement(prompt, match.index, end);
    const space = sharedSpace(entries.all.map(({ value }) => value));
    const separator = first.gap;
    const isSection = outer?.hasOthers === true;
    const around = { open: outer?.open ?? '', close: outer?.close ?? '' };
    return tagged(prompt.slice(match.index - around.open.length, outer?.end ?? end), {
      section: isSection ? around : { open: '', close: '' },
      open: `${isSection ? '' : around.open}<${tag}${naming}`,
      afterName: `${attributes}>${gap}`,
      keyOpen: `<${first.tag}${first.naming}`,
      keyToValue: `${first.attributes}>${space.before}`,
      valueClose: `${space.after}</${first.tag}>`,
      separator,
      close: separator + closer + (isSection ? '' : around.close),
    });
  }
  return null;
}

interface Entry {
  readonly tag: string;
  readonly naming: string;
  readonly attributes: string;
  readonly value: string;
  /** White space after it. */
  readonly gap: string;
}

/** The entries from a position on, and where they end. */
function entriesAt(prompt: string, from: number): { readonly all: readonly Entry[]; readonly end: number } {
  const all: Entry[] = [];
  let end = from;
  for (;;) {
    const match = entryElement.exec(prompt.slice(end, end + maxExampleLength));
    if (match === null) return { all, end };
    const [whole, tag = '', naming = '', , attributes = '', value = '', gap = ''] = match;
    // `string="true|false"` leaves a choice: the first.
    all.push({ tag, naming, attributes: attributes.replace(/\|[^"]*/u, ''), value, gap });
    end += whole.length;
  }
}

/** White space at the edges of all values belongs to the markers. */
function sharedSpace(values: readonly string[]): { readonly before: string; readonly after: string } {
  const [first = ''] = values;
  const before = /^\s*/u.exec(first)?.[0] ?? '';
  const after = first.slice(first.trimEnd().length);
  return {
    before: values.every((value) => value.startsWith(before)) ? before : '',
    after: values.every((value) => value.endsWith(after)) ? after : '',
  };
}

/** The element around a call. `hasOthers`: it contains other calls, or dots in their place. */
interface OuterElement {
  readonly open: string;
  readonly close: string;
  readonly end: number;
  readonly hasOthers: boolean;
}

function outerElement(prompt: string, start: number, end: number): OuterElement | null {
  const [open = '', marker = ''] = /(<[^<>/\s"=]{1,40}>)\s*$/u.exec(prompt.slice(0, start)) ?? [];
  const closer = mirror(marker);
  const closeAt = closer === null ? -1 : prompt.indexOf(closer, end);
  if (closer === null || closeAt < 0 || closeAt - end > maxExampleLength) return null;
  const between = prompt.slice(end, closeAt);
  const hasOthers = between.trim() !== '';
  const [gap = ''] = /^\s*/u.exec(between) ?? [];
  return { open, close: gap + closer, end: closeAt + closer.length, hasOthers };
}
