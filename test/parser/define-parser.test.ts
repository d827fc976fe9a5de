/** Definitions written by hand: what their names stand for, and what becomes of names that stand for nothing. */
import { describe, expect as expectThat, it } from 'vitest';
import {
  between,
  createModuleParser,
  defineParser,
  expect,
  jsonArguments,
  type MarkerDefinition,
  type ParserDefinition,
  recover,
  region,
} from '../../src/parser/index.ts';

const definition: ParserDefinition = {
  contract: 4,
  templateSha256: '0'.repeat(64),
  turnStart: '',
  start: 'atTurnStart',
  recover: 'inMalformed',
  markers: {
    callOpen: { text: '<call:ping>', role: 'call' },
    callClose: '</call>',
    thoughtOpen: { text: '<think>', role: 'thought' },
    thoughtClose: { text: '</think>', role: 'thought' },
  },
  states: {
    atTurnStart: between({ choices: { thoughtOpen: 'inReasoning' }, otherwise: 'inAnswer' }),
    inReasoning: region({ region: 'reasoning', stops: { thoughtClose: 'inAnswer' } }),
    inAnswer: region({ region: 'text', stops: { callOpen: { peek: 'inMalformed' } } }),
    inMalformed: recover({ choices: { callClose: 'inAnswer' } }),
  },
};

/** What a parser of the definition makes of a text. */
function read(text: string, changes: Partial<ParserDefinition> = {}) {
  const parser = createModuleParser(defineParser({ ...definition, ...changes }));
  parser.feed(text);
  return parser.finish().message;
}

describe('a definition', () => {
  it('leads from marker to marker, by their names', () => {
    expectThat(read('<think>Hm.</think>Yes.')).toMatchObject({ reasoning_content: 'Hm.', content: 'Yes.' });
  });

  it('passes malformed text over where the module says, if the state does not', () => {
    const states = { ...definition.states, atTurnStart: expect({ choices: {} }) };
    expectThat(read('what</call>ever', { states })).toMatchObject({ content: 'ever' });
    const elsewhere = expect({ choices: {}, recover: 'inAnswer' });
    expectThat(read('what', { states: { ...states, atTurnStart: elsewhere } })).toMatchObject({
      content: 'what',
    });
  });

  it('begins turns with the marker of that name, if it says nothing else', () => {
    const { turnStart: _, ...without } = definition;
    const begun = (marker: MarkerDefinition) =>
      defineParser({ ...without, markers: { ...definition.markers, turnStart: marker } }).turnStart;
    expectThat(begun('<turn>')).toBe('<turn>');
    expectThat(begun({ text: '<turn>', onlyAtEnd: true })).toBe('<turn>');
    expectThat(() => defineParser(without)).toThrow(RangeError);
  });

  it.each<[string, Partial<ParserDefinition>]>([
    ['the start', { start: 'nowhere' }],
    ['a state', { states: { ...definition.states, atTurnStart: between({ choices: {}, otherwise: 'x' }) } }],
    [
      'a marker',
      {
        states: {
          ...definition.states,
          atTurnStart: between({ choices: { x: 'inAnswer' }, otherwise: 'inAnswer' }),
        },
      },
    ],
    [
      'a name that every object has',
      {
        states: {
          ...definition.states,
          atTurnStart: between({ choices: { constructor: 'inAnswer' }, otherwise: 'inAnswer' }),
        },
      },
    ],
    [
      'the state for malformed text',
      {
        recover: 'x',
        states: { ...definition.states, atTurnStart: jsonArguments({ next: 'inAnswer', ends: {} }) },
      },
    ],
  ])('refuses names that stand for nothing: %s', (_, changes) => {
    expectThat(() => read('text', changes)).toThrow(RangeError);
  });

  it('of another version is refused before anything of it is read', () => {
    expectThat(() =>
      read('text', {
        contract: 2,
        start: 'atTurnStart',
        states: { ...definition.states, atTurnStart: between({ choices: {}, otherwise: 'x' }) },
      }),
    ).toThrow(/contract 2/);
  });

  it('is needed: what is no module at all is called that', () => {
    for (const none of [undefined, null, {}, [], 'qwen3', { default: {} }])
      expectThat(() => createModuleParser(none as never)).toThrow('module must be a responseModule');
  });
});
