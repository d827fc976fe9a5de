/** What an engine waits for before the grammar of calls applies. */
import { describe, expect, it } from 'vitest';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { type PromptPosition, turnStart } from '../../src/grammar/prompt-position.ts';
import { callBeginnings, callTriggers, distinctTriggers, restOfOpener } from '../../src/grammar/triggers.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { normalizeTools } from '../../src/tools/tools.ts';
import {
  bracketed,
  channels,
  jsonInTags,
  nameInTag,
  noMarker,
  noMarkerList,
  plain,
  pythonic,
} from '../support/sample-formats.ts';

const tools = normalizeTools([{ name: 'f' }, { name: 'f_more' }, { name: 'g' }]);
const promptWith = (pending: string): PromptPosition => ({ ...turnStart, pending });
const triggersOf = (format: ChatFormat, prompt: PromptPosition = turnStart) =>
  callTriggers(format, { prompt, tools });

describe('the rest of an opener', () => {
  it.each([
    ['', '<use>'],
    ['<us', 'e>'],
    ['\n <us', 'e>'],
    ['<use>', ''],
    ['<x', '<use>'],
    ['use>', '<use>'],
  ])('is what the prompt has not begun: %j', (pending, rest) => {
    expect(restOfOpener('<use>', promptWith(pending))).toBe(rest);
  });
});

describe('triggers', () => {
  it('are none where a format has no calls', () => {
    expect([triggersOf(plain), callBeginnings(plain, tools)]).toEqual([[], []]);
  });

  it('are the openers of calls', () => {
    for (const [format, value] of [
      [jsonInTags, '<use>'],
      [nameInTag, '<fn='],
      [bracketed, '[CALLS]'],
      [pythonic, '<calls>['],
    ] as const)
      expect(triggersOf(format)).toEqual([{ type: 'word', value }]);
  });

  it('are the rest of one that the prompt has begun', () => {
    expect(triggersOf(jsonInTags, promptWith('<us'))).toEqual([{ type: 'word', value: 'e>' }]);
  });

  it('are the head of a call where the prompt has its opener, and the opener for later calls', () => {
    const [first, ...later] = triggersOf(jsonInTags, promptWith('<use>'));
    expect(later).toEqual([{ type: 'word', value: '<use>' }]);
    expect(first?.type).toBe('pattern');
    expect(callBeginnings(jsonInTags, tools)).toEqual(['\n{"name": "']);
    const pattern = new RegExp(first?.value ?? '');
    for (const text of ['\n{"name": "f', ' \n\n{"name": "f'])
      expect(pattern.exec(text)?.[1]).toBe('\n{"name": "');
    expect(pattern.test('Hm.\n{"name": "f')).toBe(false);
  });

  it('are the names of tools where the prompt has all that comes before them', () => {
    const [first, ...later] = triggersOf(nameInTag, promptWith('<fn='));
    expect(callBeginnings(nameInTag, tools)).toEqual(['f', 'f_more', 'g']);
    const pattern = new RegExp(first?.value ?? '');
    expect(['f>', ' g>', 'h>', 'Hm'].map((text) => pattern.test(text))).toEqual([true, true, false, false]);
    expect(later).toEqual([{ type: 'word', value: '<fn=' }]);
  });

  it('are only the beginning of a response where nothing marks a call', () => {
    const triggers = triggersOf(noMarker);
    expect(triggers.map(({ type }) => type)).toEqual(['pattern']);
    const pattern = new RegExp(triggers[0]?.value ?? '');
    expect(['{"name": "', '\n{"name": "f"', 'So {"name": "'].map((text) => pattern.test(text))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('have what follows a bracket, which prose may contain', () => {
    const words = triggersOf(noMarkerList).map(({ value }) => value);
    expect(words).toEqual(['[{"name": "']);
  });

  it('have the name of a tool where answers and thoughts begin alike, the shortest of those that contain it', () => {
    const layout = turnLayout(channels);
    expect(distinctTriggers(layout, ' to=tool.', tools)).toEqual([' to=tool.']);
    const alike = { ...layout, regions: [{ kind: 'content', openers: [{ text: 'x to=tool.' }] }] };
    expect(distinctTriggers(alike as unknown as typeof layout, ' to=tool.', tools)).toEqual([
      ' to=tool.f',
      ' to=tool.g',
    ]);
  });
});
