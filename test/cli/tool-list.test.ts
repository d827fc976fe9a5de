/** Tool lists in the shapes that are about. */
import { describe, expect, test } from 'vitest';
import { ToolListError } from '../../src/format/errors.ts';
import { readToolList } from '../../src/tools/read-tool-list.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } } };
const wanted = [{ type: 'function', function: { name: 'f', description: 'does', parameters: schema } }];

const library = {
  '~standard': {
    version: 1,
    vendor: 'some-library',
    jsonSchema: { input: () => schema, output: () => schema },
  },
};
const failing = {
  '~standard': {
    vendor: 'some-library',
    jsonSchema: {
      input: () => {
        throw new Error('no such thing in JSON Schema');
      },
    },
  },
};

describe('every shape reads as the same tools', () => {
  test.each([
    ['OpenAI', { type: 'function', function: { name: 'f', description: 'does', parameters: schema } }],
    ['without the layer', { type: 'function', name: 'f', description: 'does', parameters: schema }],
    ['MCP', { name: 'f', title: 'F', description: 'does', inputSchema: schema, outputSchema: {} }],
    ['snake case', { name: 'f', description: 'does', input_schema: schema }],
    ['a library', { name: 'f', description: 'does', inputSchema: library }],
    [
      'a library whose schemas are functions',
      { name: 'f', description: 'does', parameters: Object.assign(() => 0, library) },
    ],
  ])('%s', (_name, tool) => {
    expect(readToolList([tool], 'x')).toEqual(wanted);
    expect(readToolList({ tools: [tool] }, 'x')).toEqual(wanted);
  });

  test('a tool without arguments stays without a schema', () => {
    expect(readToolList([{ name: 'f', inputSchema: null }], 'x')).toEqual([
      { type: 'function', function: { name: 'f' } },
    ]);
  });
});

describe('what is wrong is told with list, tool and place', () => {
  test.each([
    [{}, '', null],
    [[], '', null],
    [{ tools: [] }, '/tools', null],
    [[1], '/0', null],
    [[{ name: 'f' }, { description: 'x' }], '/1/name', null],
    [{ tools: [{ type: 'function', function: { name: '' } }] }, '/tools/0/function/name', null],
    [[{ name: '\ud800' }], '/0/name', null],
    [[{ name: 'f', description: 7 }], '/0/description', 'f'],
    [[{ name: 'f', inputSchema: [] }], '/0/inputSchema', 'f'],
    [[{ type: 'function', function: { name: 'f', parameters: 'x' } }], '/0/function/parameters', 'f'],
    [[{ name: 'f', inputSchema: failing }], '/0/inputSchema', 'f'],
    [[{ name: 'f' }, { name: 'f' }], '/1', 'f'],
  ])('%j', (list, pointer, tool) => {
    let error: unknown;
    try {
      readToolList(list, 'tools.json');
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ToolListError);
    expect(error).toMatchObject({ source: 'tools.json', pointer, tool });
    expect(String(error)).toContain('tools.json');
    if (pointer !== '') expect(String(error)).toContain(pointer);
  });
});
