/** What clients can say, by their own types: every field is read, refused, or known to have no effect. */
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { fields as chatCompletions } from '../../src/serve/chat-completions/read-request.ts';
import { fields as completions } from '../../src/serve/completions/read-request.ts';
import { type KnownFields, namesOf } from '../../src/serve/fields/known-fields.ts';
import { fields as messages } from '../../src/serve/messages/read-request.ts';
import { fields as responses } from '../../src/serve/responses/read-request.ts';

const packages = path.join(import.meta.dirname, '../../node_modules');

/** The properties of an interface in a file of declarations. */
function propertiesOf(file: string, name: string): readonly string[] {
  const text = fs.readFileSync(path.join(packages, file), 'utf8');
  const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found = statements.find((each) => ts.isInterfaceDeclaration(each) && each.name.text === name);
  if (found === undefined || !ts.isInterfaceDeclaration(found)) throw new Error(`no ${name} in ${file}`);
  return found.members.flatMap(({ name: property }) =>
    property !== undefined && ts.isIdentifier(property) ? [property.text] : [],
  );
}

it.each<[string, string, KnownFields]>([
  ['openai/resources/chat/completions/completions.d.ts', 'ChatCompletionCreateParamsBase', chatCompletions],
  ['openai/resources/responses/responses.d.ts', 'ResponseCreateParamsBase', responses],
  ['openai/resources/completions.d.ts', 'CompletionCreateParamsBase', completions],
  ['@anthropic-ai/sdk/resources/messages/messages.d.ts', 'MessageCreateParamsBase', messages],
  ['@anthropic-ai/sdk/resources/beta/messages/messages.d.ts', 'MessageCreateParamsBase', messages],
])('every field of %s is known', (file, name, fields) => {
  const known = namesOf(fields);
  const properties = propertiesOf(file, name);
  expect(properties).toContain('model');
  expect(properties.filter((field) => !known.includes(field))).toEqual([]);
});
