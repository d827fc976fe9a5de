/**
 * Arguments are compiled once for each schema, whoever asks and in whatever order, and are the same from a table that was
 * made ahead; names that a format cannot write are refused.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { IdiolectError, SchemaError, ToolError } from '../../src/format/errors.ts';
import type { JsonSchema, Tool } from '../../src/format/messages.ts';
import type { SchemaStore } from '../../src/grammar/stored-schemas.ts';
import { compilerText, schemaTexts, ToolArguments } from '../../src/grammar/tool-arguments.ts';
import { literal } from '../../src/language/expression/expression.ts';
import { referredRules } from '../../src/language/expression/references.ts';
import { finish } from '../../src/language/expression/steps.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { bracketed, jsonInTags, nameInTag, pairs, pythonic, tagged } from '../support/sample-formats.ts';

const options = { policy: 'strict', argumentOrder: 'later' } as const;

function callsOf(format: ChatFormat) {
  return turnLayout(format).calls ?? expect.fail('the format has calls');
}

function toolArguments(store: SchemaStore | null = null): ToolArguments {
  return new ToolArguments(callsOf(jsonInTags), options, null, store);
}

function tool(name: string, parameters?: JsonSchema): Tool {
  return { type: 'function', function: { name, ...(parameters === undefined ? {} : { parameters }) } };
}

/** A schema that needs rules of its own. */
function tree(key: string): JsonSchema {
  const node = { type: 'object', properties: { [key]: { type: 'string' }, next: { $ref: '#/$defs/node' } } };
  return { type: 'object', properties: { root: { $ref: '#/$defs/node' } }, $defs: { node } };
}

const trees = ['a', 'b', 'c'].map((key) => tool(`of_${key}`, tree(key)));
const refused: JsonSchema = { type: 'object', properties: { a: { type: 'string', pattern: '(?<=a)b\\1(' } } };
/** Too large to be compared as text. */
const large = tool('large', { type: 'object', examples: Array.from({ length: 20_001 }, () => 0) });
const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const rulesOf = (each: ToolArguments) => [...each.branch().rules.keys()].sort();
const lackingOf = (each: ToolArguments, tools: readonly Tool[]) => each.lacking(finish(schemaTexts(tools)));

describe('the arguments of tools', () => {
  it('are the same for the same schema, whatever the tool is called', () => {
    const [one, two] = [tool('one', tree('a')), tool('two', tree('a'))];
    const both = toolArguments();
    const { tools } = both.offer([one, two]);
    expect(tools[1]?.arguments).toEqual(tools[0]?.arguments);
    const single = toolArguments();
    single.offer([one]);
    expect(rulesOf(both)).toEqual(rulesOf(single));
    expect(tools[0]?.arguments).not.toEqual(both.offer([tool('one', tree('b'))]).tools[0]?.arguments);
  });

  it('are compiled once, also if they are too large to compare', () => {
    const all = toolArguments();
    const first = all.offer([...trees, large]);
    const rules = rulesOf(all);
    expect(all.offer([...trees, large])).toEqual(first);
    expect(rulesOf(all)).toEqual(rules);
  });

  it('are all there, and refer to rules that are there', () => {
    const all = toolArguments();
    const { tools } = all.offer([tool('none'), ...trees]);
    expect(tools.map((each) => each.name)).toEqual(['none', 'of_a', 'of_b', 'of_c'].map(literal));
    const { rules } = all.branch();
    for (const body of [...tools.map((each) => each.arguments), ...rules.values()])
      for (const name of referredRules(body)) expect([...rules.keys()]).toContain(name);
  });

  it('do not change a set of rules that was branched off before', () => {
    const all = toolArguments();
    all.offer(trees.slice(0, 1));
    const before = all.branch();
    const names = [...before.rules.keys()];
    all.offer(trees);
    expect([...before.rules.keys()]).toEqual(names);
    expect(rulesOf(all).length).toBeGreaterThan(names.length);
  });

  it('depend on the format and the options', () => {
    const texts = [
      compilerText(jsonInTags, options),
      compilerText(tagged, options),
      compilerText(jsonInTags, { ...options, policy: 'degrade' }),
      compilerText(jsonInTags, { ...options, argumentOrder: 'any' }),
    ];
    expect(new Set(texts).size).toBe(texts.length);
    expect(compilerText({ ...jsonInTags }, { ...options })).toBe(texts[0]);
  });
});

describe('arguments that are compiled ahead of an offer', () => {
  it('are announced at once, and need nothing from the compiler afterwards', () => {
    const all = toolArguments();
    expect(lackingOf(all, trees)).toBe(3);
    const steps = all.add(trees);
    steps.next();
    expect([lackingOf(all, trees), rulesOf(all)]).toEqual([0, []]);
    finish(steps);
    const rules = rulesOf(all);
    expect(rules.length).toBeGreaterThan(0);
    all.offer(trees);
    expect(rulesOf(all)).toEqual(rules);
  });

  it('lack where nobody has asked for them, or if they are too large to compare', () => {
    const all = toolArguments();
    all.offer([...trees.slice(1), large]);
    expect(lackingOf(all, trees)).toBe(1);
    expect(lackingOf(all, [large])).toBe(1);
    expect(finish(schemaTexts([large, tool('none')]))[0]).toBeNull();
  });

  it('are those of an offer, however the steps of several requests take turns', () => {
    const alone = toolArguments().offer(trees);
    for (const turns of [1, 2, 7, 40]) {
      const all = toolArguments();
      const requests = [all.add(trees), all.add([...trees].reverse()), all.add(trees.slice(1))];
      for (let open = [...requests]; open.length > 0; )
        open = open.filter((steps) => Array.from({ length: turns }).every(() => steps.next().done !== true));
      const { tools, issues } = all.offer(trees);
      expect(issues).toEqual(alone.issues);
      expect(tools.map(({ name }) => name)).toEqual(alone.tools.map(({ name }) => name));
      expect(rulesOf(all)).toHaveLength(rulesOf(toolArgumentsOf(trees)).length);
    }
  });

  it('are compiled by the next request if one is given up', () => {
    const all = toolArguments();
    const steps = all.add(trees);
    for (let step = 0; step < 5; step++) steps.next();
    steps.return();
    expect(all.offer(trees)).toEqual(toolArguments().offer(trees));
  });
});

function toolArgumentsOf(tools: readonly Tool[]): ToolArguments {
  const all = toolArguments();
  all.offer(tools);
  return all;
}

describe('a table of arguments', () => {
  const made = () => {
    const source = toolArguments();
    const packed = source.pack(trees, digest);
    const table = { compiler: '', template: '', policy: 'strict', ...packed } as const;
    return { source, packed, ahead: new ToolArguments(callsOf(jsonInTags), options, { table, digest }) };
  };

  it('has one entry for each schema, by its digest, and all rules', () => {
    const { source, packed } = made();
    const texts = finish(schemaTexts(trees));
    expect(packed.arguments.map((each) => each.schema)).toEqual(texts.map((text) => digest(text ?? '')));
    expect(Object.keys(packed.rules).sort()).toEqual(rulesOf(source));
  });

  it('gives what the compiler gives, and only the rules that are needed', () => {
    const { source, ahead } = made();
    expect(lackingOf(ahead, trees)).toBe(0);
    const [first] = trees;
    if (first === undefined) throw new Error('there are tools');
    ahead.offer([first]);
    const ofFirst = rulesOf(ahead);
    expect(ofFirst.length).toBeLessThan(rulesOf(source).length);
    expect(ahead.offer(trees)).toEqual(source.offer(trees));
    for (const name of rulesOf(source).filter((each) => rulesOf(ahead).includes(each)))
      expect(ahead.branch().rules.get(name)).toEqual(source.branch().rules.get(name));
    const { rules } = ahead.branch();
    expect(ofFirst.length).toBeGreaterThan(0);
    for (const body of [...ahead.offer(trees).tools.map((each) => each.arguments), ...rules.values()])
      for (const name of referredRules(body)) expect([...rules.keys()]).toContain(name);
  });

  it('leaves other schemas to the compiler, whose rules have other names', () => {
    const { source, ahead } = made();
    const others = [tool('of_a', tree('d')), large];
    expect(lackingOf(ahead, others)).toBe(2);
    const { tools } = ahead.offer(others);
    expect(tools).toHaveLength(2);
    expect(rulesOf(ahead).filter((name) => rulesOf(source).includes(name))).toEqual([]);
    expect(ahead.offer(trees)).toEqual(source.offer(trees));
  });
});

describe('a store of schemas', () => {
  it('is asked for a schema of any size, by one name for all that it depends on', () => {
    const asked: string[] = [];
    const store: SchemaStore = {
      digest,
      read: (name) => {
        asked.push(name);
        return null;
      },
      write: () => undefined,
    };
    const [first] = trees;
    if (first === undefined) throw new Error('there are tools');
    for (const each of [first, large, tool('none')]) {
      toolArguments(store).offer([each]);
      toolArguments(store).offer([{ ...each, function: { ...each.function, description: 'another' } }]);
    }
    expect(asked).toHaveLength(6);
    expect(new Set(asked).size).toBe(3);
    new ToolArguments(callsOf(tagged), options, null, store).offer([first]);
    new ToolArguments(callsOf(jsonInTags), { ...options, policy: 'degrade' }, null, store).offer([first]);
    expect(new Set(asked).size).toBe(5);
  });
});

describe('schemas that are refused', () => {
  const bad = [tool('x', refused), tool('fine'), tool('y', { type: 1 } as never)];

  it('are told together, each with its tool, as often as they are offered', () => {
    const all = toolArguments();
    for (const _ of [1, 2]) {
      const error = thrown(() => all.offer(bad));
      if (!(error instanceof SchemaError)) throw error;
      expect(new Set(error.issues.map((issue) => issue.tool))).toEqual(new Set(['x', 'y']));
    }
  });

  it('are told if there is only one, also one that is no JSON', () => {
    const circular: Record<string, unknown> = { type: 'object' };
    circular.properties = { a: circular };
    for (const parameters of [refused, circular as JsonSchema]) {
      const all = toolArguments();
      finish(all.add([tool('x', parameters)]));
      expect(thrown(() => all.offer([tool('x', parameters), tool('fine')]))).toBeInstanceOf(SchemaError);
    }
  });

  it('are issues of their tools where calls are checked afterwards', () => {
    const degraded = new ToolArguments(callsOf(jsonInTags), { ...options, policy: 'degrade' });
    const { tools, issues } = degraded.offer([tool('x', refused), tool('fine'), tool('y', refused)]);
    expect(tools).toHaveLength(3);
    expect(issues.map((issue) => issue.tool)).toEqual(['x', 'y']);
  });

  it('are no errors before they are offered, and no entries of a table', () => {
    const all = toolArguments();
    finish(all.add(bad));
    expect(thrown(() => all.offer(bad))).toBeInstanceOf(SchemaError);
    expect(thrown(() => all.pack(bad, digest))).toBeInstanceOf(SchemaError);
    expect(all.pack([tool('fine')], digest).arguments).toHaveLength(1);
  });
});

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('the name of a tool', () => {
  const inFormat = (format: ChatFormat) => new ToolArguments(callsOf(format), options);
  const isWritten = (format: ChatFormat, name: string): boolean => {
    const error = thrown(() => inFormat(format).offer([tool(name)]));
    if (error !== undefined && !(error instanceof ToolError)) throw error;
    return error === undefined;
  };
  const withHead = (after: string): ChatFormat => ({
    ...tagged,
    calls: { ...(tagged.calls ?? expect.fail()), head: [{ hole: 'name' }, after] },
  });

  it('is written as it is, or as JSON in a call that is JSON', () => {
    for (const name of ['f', 'a"b', 'a\\n', 'é"\\']) {
      const [inTags, inJson] = [nameInTag, jsonInTags].map((format) => inFormat(format).offer([tool(name)]));
      expect(inTags?.tools[0]?.name).toEqual(literal(name));
      expect(inJson?.tools[0]?.name).toEqual(literal(JSON.stringify(name).slice(1, -1)));
    }
  });

  it.each(['', ' f', 'f\n', 'a\u0000b', 'a\u007fb', 'a\ud800b', '\udc00'])(
    'is refused in every format: %j',
    (name) => {
      for (const format of [jsonInTags, tagged, nameInTag]) expect(isWritten(format, name)).toBe(false);
    },
  );

  it.each([
    ['a b', true, false],
    ['a>b', true, false],
    ['a<b', true, true],
    ['a.b-c/d', true, true],
    ['f'.repeat(500), true, true],
  ])('may hold in JSON what ends it elsewhere: %s', (name, inJson, inTags) => {
    expect([isWritten(jsonInTags, name), isWritten(nameInTag, name)]).toEqual([inJson, inTags]);
  });

  it('holds neither the text that ends it nor the first character of it', () => {
    expect(isWritten(bracketed, 'a[ID]')).toBe(false);
    expect(isWritten(bracketed, 'a[b')).toBe(false);
    expect(isWritten(bracketed, 'a]b')).toBe(true);
    expect(isWritten(pythonic, 'a(b')).toBe(false);
    expect(isWritten(pythonic, 'a.b')).toBe(true);
  });

  it('may hold a word that stands after white space, because that ends it', () => {
    expect(isWritten(withHead(' with:\n'), 'with:')).toBe(true);
    expect(isWritten(withHead('with:\n'), 'with:')).toBe(false);
    expect(isWritten(withHead(' >\n'), 'a>b')).toBe(false);
  });

  it('does not hold what arguments begin with if nothing else ends it', () => {
    const calls = pairs.calls ?? expect.fail();
    if (calls.arguments.kind !== 'entries') return expect.fail();
    const entry = { ...calls.arguments.entry, open: '' };
    const bare = { ...pairs, calls: { ...calls, arguments: { ...calls.arguments, entry } } };
    expect(isWritten(pairs, 'a<k>')).toBe(false);
    expect(isWritten(pairs, 'a<k')).toBe(true);
    expect(isWritten(bare, 'a<k>')).toBe(true);
  });

  it('is told with the reason', () => {
    const error = thrown(() => inFormat(nameInTag).offer([tool('a>b')]));
    expect(error).toBeInstanceOf(IdiolectError);
    expect(String(error)).toContain('a>b');
    expect(String(thrown(() => inFormat(bracketed).offer([tool('a[ID]')])))).toContain('"[ID]"');
    expect(String(thrown(() => inFormat(bracketed).offer([tool('a[b')])))).toContain('"["');
  });
});
