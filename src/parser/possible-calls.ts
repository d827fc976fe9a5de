/**
 * What looks like a call of an offered tool in text that was not read as one. It stays text, because it may be quoted
 * or explained; a caller that wanted a call can ask the model again.
 */
import { isObject, parseJson } from '../format/json-values.ts';
import { propertyNames } from './steps/schema-place.ts';
import type { ToolTable } from './tool-table.ts';

/** Where it is in the text, and whose call it may be. */
interface FoundCall {
  readonly toolName: string;
  readonly at: number;
}

/** How much text next to a name shows what it is. */
const context = 64;

/** Before a name: what calls have there, in the notations of formats, APIs and transcripts. */
const callBefore = [
  /["']?\b(?:name|tool|tool_name|function|function_name|action|recipient_name)["']?\s*(?:=>|[:=])\s*["']?$/i,
  /<[|｜]?(?:[\w.:|｜-]+[\s="'/]+)*$/,
  /\[\s*(?:calling|called|tool|function)[^\]\n]*$/i,
  /```$/,
];
/** Before and after a name: a marker, or the beginning of a line, and then arguments. */
const lineOrMarker = /(?:^|\n|[>\]|｜])[ \t>*[]*(?:functions?\.|call:)?$/;
/** A name as the key of its arguments. */
const openBefore = /[{,]\s*["']$/;
const keyAfter = /^["']\s*:\s*\{/;
const argumentsAfter = /^\s*(?:[({<[]|:\d|=\s*[{(])/;

/** After a marker of calls: arguments next to a name, perhaps with what belongs to a missing marker. */
const argumentsNear = /^(?:\s*(?:\w*<|[({[]|```)|:\d)/;
/** The arguments of a call that a marker opens begin within this many units. */
const maxOpening = 256;

/** Markers of calls in a text: those that opened none, and what closes calls. */
interface StrayMarkers {
  readonly openers: ReadonlySet<string>;
  readonly closers: readonly string[];
}

/** The first such place in a text. */
export function findPossibleCall(
  tools: ToolTable,
  text: string,
  { openers, closers }: StrayMarkers,
): FoundCall | null {
  const found = tools.names().flatMap((name) => namedCall(text, name) ?? []);
  if (found.length > 0) return found.reduce((first, each) => (each.at < first.at ? each : first));
  return unnamedCall(tools, text) ?? openedCall(tools, text, openers) ?? closedCall(tools, text, closers);
}

/** The key of an argument, in JSON or in a tag. */
const writtenKey = /["'=<]([\w.-]+)["']?\s*[:>]/g;

/** Arguments of a tool right before what closes calls. */
function closedCall(tools: ToolTable, text: string, closers: readonly string[]): FoundCall | null {
  for (const closer of closers) {
    const at = text.indexOf(closer);
    const before = text.slice(Math.max(0, at - maxOpening), at);
    if (at === -1 || isInCode(text, at) || !/[}>\])]\s*$/.test(before)) continue;
    const keys = Array.from(before.matchAll(writtenKey), ([, key = '']) => key);
    const toolName = tools.names().find((name) => {
      const known = propertyNames(tools.parameters(name));
      return keys.some((key) => known.includes(key));
    });
    if (toolName !== undefined) return { toolName, at };
  }
  return null;
}

/** What follows a marker of calls: a tool's name before arguments or, right after it, an argument of a tool. */
function openedCall(tools: ToolTable, text: string, openers: ReadonlySet<string>): FoundCall | null {
  for (const opener of openers) {
    const at = text.indexOf(opener);
    if (at === -1 || isInCode(text, at)) continue;
    const near = text.slice(at + opener.length).slice(0, maxOpening);
    const toolName = tools.names().find((name) => {
      const places = Array.from(near.matchAll(/[\w.-]+/g)).flatMap(({ 0: word, index }) =>
        word.includes(name) ? [index + word.indexOf(name) + name.length] : [],
      );
      const begins = /^\s*[^\w\s]*[<[{\]]/.test(near);
      const keys = begins ? propertyNames(tools.parameters(name)) : [];
      return (
        places.some((end) => argumentsNear.test(near.slice(end))) || keys.some((key) => near.includes(key))
      );
    });
    if (toolName !== undefined) return { toolName, at };
  }
  return null;
}

function namedCall(text: string, toolName: string): FoundCall | null {
  const isCode = codeSpans(text);
  for (let at = text.indexOf(toolName); at !== -1; at = text.indexOf(toolName, at + 1)) {
    const end = at + toolName.length;
    const before = textBefore(text, at);
    const after = text.slice(end, end + context);
    if (/[\w-]$/.test(before) || /^[\w-]/.test(after) || isCode(at)) continue;
    if (callBefore.some((each) => each.test(before))) return { toolName, at };
    if (openBefore.test(before) && keyAfter.test(after)) return { toolName, at };
    if (lineOrMarker.test(before) && argumentsAfter.test(after)) return { toolName, at };
  }
  return null;
}

/** The text next to a name. What it is cut from does not begin there. */
function textBefore(text: string, at: number): string {
  const start = at - context;
  return start > 0 ? `…${text.slice(start, at)}` : text.slice(0, at);
}

/** Whether a code span is open on the line. */
function isInCode(text: string, at: number): boolean {
  return codeSpans(text)(at);
}

/** Tells of one place after the other whether a code span is open there on its line. */
function codeSpans(text: string): (at: number) => boolean {
  let from = 0;
  let isOpen = false;
  return (at) => {
    const passed = text.slice(from, at);
    const line = passed.lastIndexOf('\n') + 1;
    const ticks = passed.slice(line).replaceAll('```', '').split('`').length - 1;
    isOpen = (line === 0 && isOpen) !== (ticks % 2 === 1);
    from = at;
    return isOpen;
  };
}

/** Arguments at the end of a text that names their tool only in prose. */
function unnamedCall(tools: ToolTable, text: string): FoundCall | null {
  const at = /(?:^|\n)[ \t]*(?=\{[^\n]*\}\s*$)/.exec(text);
  if (at === null) return null;
  const start = at.index + at[0].length;
  const value = parseJson(text.slice(start).trim());
  if (!isObject(value) || Object.keys(value).length === 0) return null;
  const fitting = tools.names().filter((name) => {
    const known = propertyNames(tools.parameters(name));
    return text.slice(0, start).includes(name) && Object.keys(value).every((key) => known.includes(key));
  });
  const [toolName] = fitting;
  return toolName === undefined || fitting.length > 1 ? null : { toolName, at: start };
}
