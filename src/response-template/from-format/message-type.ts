/** The TypeScript type of a response template's messages. */

import { lineWidth, printKey, printString } from '../../codegen/source-writer.ts';
import type { JsonValue } from '../../format/messages.ts';
import { placeholderPath, type ResponseTemplate, type ResponseTemplateField } from '../index.ts';

/** Source text of the interface `Message`. */
export function messageType(template: ResponseTemplate): string {
  const defaults = new Map(Object.entries(template.defaults ?? {}));
  const types = new Map<string, string>();
  for (const [name, value] of defaults) types.set(name, typeOfValue(value));
  for (const [name, field] of Object.entries(template.fields))
    types.set(name, unite(types.get(name), fieldType(field)));
  const lines = [...types].map(([name, type]) => {
    return broken(`  readonly ${printKey(name)}${defaults.has(name) ? '' : '?'}: ${type};`);
  });
  return `/** The message. Keys are missing where the response holds nothing for them. */
export interface Message {\n${lines.join('\n')}\n}\n`;
}

/** A line that is too long, with its outermost object type on several lines. */
function broken(line: string): string {
  const [, before, inside, after] = /^([^{]*)\{ (.*) \}([^}]*)$/s.exec(line) ?? [];
  if (line.length <= lineWidth || inside === undefined) return line;
  const members = splitMembers(inside).map((member) => broken(`    ${member};`));
  return `${before}{\n${members.join('\n')}\n  }${after}`;
}

/** The members of an object type; nested types are kept together. */
function splitMembers(inside: string): string[] {
  const members: string[] = [];
  let depth = 0;
  for (const part of inside.split('; ')) {
    if (depth > 0) members[members.length - 1] += `; ${part}`;
    else members.push(part);
    depth += part.split('{').length - part.split('}').length;
  }
  return members;
}

function unite(before: string | undefined, type: string): string {
  return before === undefined || before === type ? type : `${before} | ${type}`;
}

function fieldType(field: ResponseTemplateField): string {
  if (field.join != null) return 'string';
  const item = itemType(field);
  return field.repeats ? `readonly ${item}[]` : item;
}

function itemType(field: ResponseTemplateField): string {
  const content = contentType(field);
  if (field.transform == null) return content;
  const type = shapeType(field.transform, field.transform_each ? null : content);
  return field.transform_each ? `readonly ${type}[]` : type;
}

function contentType(field: ResponseTemplateField): string {
  switch (field.content ?? 'text') {
    case 'text':
      return 'string';
    case 'bool':
      return 'boolean';
    case 'int':
    case 'float':
      return 'number';
    case 'json':
      return 'JsonValue';
    default:
      return '{ readonly [key: string]: JsonValue }';
  }
}

/** The type of a filled transform; `content` is `null` if placeholders name keys of an item. */
function shapeType(shape: JsonValue, content: string | null): string {
  if (typeof shape === 'string') return placeholderType(shape, content);
  if (typeof shape !== 'object' || shape === null) return typeOfValue(shape);
  if (Array.isArray(shape)) {
    return `readonly [${shape.map((item: JsonValue) => shapeType(item, content)).join(', ')}]`;
  }
  const entries = Object.entries(shape).map(
    ([key, value]) => `readonly ${printKey(key)}: ${shapeType(value, content)}`,
  );
  return `{ ${entries.join('; ')} }`;
}

function placeholderType(shape: string, content: string | null): string {
  const path = placeholderPath(shape);
  if (path === null) return printString(shape);
  if (content === null) return 'JsonValue';
  if (path[0] !== 'content') return 'string';
  return path.length === 1 ? content : 'JsonValue';
}

function typeOfValue(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'readonly JsonValue[]';
  return typeof value === 'object' ? '{ readonly [key: string]: JsonValue }' : typeof value;
}
