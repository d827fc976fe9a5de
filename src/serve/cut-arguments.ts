/** Arguments of earlier calls, as clients send them back. */
import { parseObject } from '../format/json-values.ts';
import { partialArguments } from '../parser/json/partial-json.ts';

/**
 * The arguments of an earlier call. If a response was cut inside them, which other servers hand out, they are closed
 * where they end: a conversation that holds such a call would otherwise be refused for ever.
 */
export function closedArguments(args: string): string {
  if (!args.trimStart().startsWith('{') || parseObject(args) !== null) return args;
  return isOpen(args) ? JSON.stringify(partialArguments(args)) : args;
}

/** Whether a string or a container is open at the end. */
function isOpen(json: string): boolean {
  let depth = 0;
  for (const [sign] of json.matchAll(/"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]]/gs)) {
    if (sign.startsWith('"') && !/^"(?:[^"\\]|\\.)*"$/s.test(sign)) return true;
    if (sign === '{' || sign === '[') depth += 1;
    if (sign === '}' || sign === ']') depth -= 1;
  }
  return depth > 0;
}
