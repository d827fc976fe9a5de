/**
 * A call of a tool that requires one argument, a string, whose text stands without its key: `<bash>ls</bash>`. It can
 * mean one thing only. It is a call if the answer is nothing else.
 */
import { isObject } from '../../format/json-values.ts';
import { undecided } from '../markers/markers.ts';
import { TextBlocks } from '../markers/text-blocks.ts';
import type { Reader } from '../reader.ts';
import { allowedTypes, propertyPlace } from '../steps/schema-place.ts';
import type { SoleValue } from '../steps/step-progress.ts';
import type { ToolTable } from '../tool-table.ts';

/** How such a call of one tool is written: the text before and after its name, and that after the value. */
interface SoleForm {
  readonly toolName: string;
  readonly key: string;
  readonly open: string;
  readonly afterName: string;
  readonly close: string;
}

const knownForms = new WeakMap<ToolTable, readonly SoleForm[]>();

function soleForms(tools: ToolTable): readonly SoleForm[] {
  const known = knownForms.get(tools);
  if (known !== undefined) return known;
  const forms = tools.names().flatMap((toolName) => {
    const key = soleArgument(tools, toolName);
    if (key === null) return [];
    const transcript = { toolName, key, open: '[tool_call: ' };
    return [
      { toolName, key, open: '<', afterName: '>', close: `</${toolName}>` },
      { ...transcript, afterName: " for '", close: "']" },
      { ...transcript, afterName: ' for "', close: '"]' },
    ];
  });
  knownForms.set(tools, forms);
  return forms;
}

/** The only required argument of a tool, if it is a string. */
function soleArgument(tools: ToolTable, name: string): string | null {
  const place = tools.parameters(name);
  const { schema } = place;
  const [key, second] = isObject(schema) && Array.isArray(schema.required) ? schema.required : [];
  if (typeof key !== 'string' || second !== undefined) return null;
  const types = allowedTypes(propertyPlace(place, key));
  return types.size === 1 && types.has('string') ? key : null;
}

/** The beginning of such a call; positions are offsets. */
type SoleHead = Pick<SoleValue, 'toolName' | 'key' | 'nameAt' | 'valueAt'> & { readonly close: string };

/** The head of such a call at a position; `null` if there is none, `undecided` if more text decides. */
export function soleHeadAt(
  { cursor, options: { tools }, ended }: Reader,
  at: number,
): SoleHead | null | typeof undecided {
  const { text } = cursor;
  let mayFollow = false;
  for (const { toolName, key, open, afterName, close } of soleForms(tools)) {
    const head = open + toolName + afterName;
    mayFollow ||= text.length - at < head.length && head.startsWith(text.slice(at));
    if (!text.startsWith(head, at)) continue;
    const nameAt = cursor.offsetOf(at + open.length);
    return { toolName, key, nameAt, valueAt: cursor.offsetOf(at + head.length), close };
  }
  return mayFollow && !ended ? undecided : null;
}

/** Such a call, as far as it has come. Its text is searched once, whatever its pieces. */
export class SoleValueTrial {
  private readonly head: SoleHead;
  /** Units before the value that are still to come. */
  private toValue: number;
  private readonly written = new TextBlocks();
  /** The first character of the value. */
  private first = '';
  /** The value, once it is closed. */
  private value: string | null = null;
  private isOver = false;

  constructor(head: SoleHead) {
    this.head = head;
    this.toValue = head.valueAt - head.nameAt;
  }

  /** Reads on, from the tool's name. */
  read(text: string, ended: boolean): void {
    this.isOver = ended;
    if (this.value !== null) return;
    const { written } = this;
    const { close } = this.head;
    const part = text.slice(this.toValue);
    this.toValue = Math.max(0, this.toValue - text.length);
    const last = written.last(close.length - 1);
    const closeAt = (last + part).indexOf(close);
    if (closeAt !== -1)
      this.value = (written.toString() + part).slice(0, written.length - last.length + closeAt);
    written.append(part);
    if (this.first === '') this.first = part.trimStart().charAt(0);
  }

  /** Whether it is none: what begins with a tag or a brace has keys, and an empty value is none. */
  get failed(): boolean {
    return /[<{]/.test(this.first) || (this.value === null ? this.isOver : this.value.trim() === '');
  }

  /** The call, once it is complete. */
  get whole(): SoleValue | null {
    const { value } = this;
    if (value === null || this.failed) return null;
    const { close, ...head } = this.head;
    const valueAt = head.valueAt + value.length - value.trimStart().length;
    return { ...head, valueAt, value: value.trim(), end: head.valueAt + value.length + close.length };
  }
}

/** Reads the call, which is there as a whole. */
export function emitSoleValue(
  reader: Reader,
  { toolName, key, nameAt, valueAt, value, end }: SoleValue,
): void {
  const { cursor, writer } = reader;
  reader.openCall();
  reader.skip(nameAt - cursor.base);
  const nameEnd = cursor.at + toolName.length;
  reader.call.name = toolName;
  reader.startCall(cursor.at, nameEnd);
  cursor.moveTo(nameEnd);
  reader.skip(valueAt - cursor.base);
  const json = `{${JSON.stringify(key)}: ${JSON.stringify(value)}}`;
  writer.calls.input(json, valueAt, valueAt + value.length);
  cursor.moveTo(cursor.at + value.length);
  reader.skip(end - cursor.base);
  writer.calls.endCall(cursor.offset);
  reader.leaveCall();
}
