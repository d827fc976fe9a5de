import path from 'node:path';
import { expect, it } from 'vitest';
import { readCommandLine } from './command-line.ts';

const known = ['jinja', 'chat-cases', 'maskbench'];
const flags = { update: false, json: false, failures: false, details: false };

it('the command line takes every part where none is named, else those', () => {
  expect(readCommandLine([], known)).toMatchObject({ kind: 'parts', names: known, flags });
  const chosen = readCommandLine(['jinja', 'maskbench', '--details'], known);
  expect(chosen).toMatchObject({ kind: 'parts', names: ['jinja', 'maskbench'], flags: { details: true } });
});

it('the command line takes a file of schemas after maskbench', () => {
  const file = path.join(import.meta.dirname, 'baseline.json');
  expect(readCommandLine(['maskbench', file], known)).toMatchObject({ kind: 'maskbench-file', file });
  expect(readCommandLine(['maskbench', 'chat-cases'], known)).toMatchObject({ kind: 'parts' });
});

it.each(['--help', '-h'])('the command line helps when asked by %s', (option) => {
  expect(readCommandLine(['jinja', option], known)).toEqual({ kind: 'help' });
});

it.each([
  [['--hlep'], '--hlep'],
  [['jnja'], 'jnja'],
  [['maskbench', 'no-such-file'], 'no-such-file'],
  [['--details=5'], '--details'],
])('the command line says what is wrong with %j', (args, named) => {
  const request = readCommandLine(args, known);
  expect(request).toMatchObject({ kind: 'wrong' });
  expect(request.kind === 'wrong' && request.reason).toContain(named);
});
