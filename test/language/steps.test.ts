/** Work in steps: others have their turn, and what is stopped leaves nothing behind. */
import { expect, test } from 'vitest';
import { compileSchema, compileSchemaSteps, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { literal, sequence } from '../../src/language/expression/expression.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { finishInTurns, type Steps } from '../../src/language/expression/steps.ts';

const schema = {
  type: 'object',
  properties: { a: { type: 'array', items: { enum: ['x', 'y'] } }, b: { type: 'string', maxLength: 9 } },
};

test('an abort stops within one schema, takes back its rules, and the set goes on', async () => {
  const rules = new RuleSet();
  rules.add('before', sequence(literal('a'), literal('b')));
  const options = { rules, syntax: jsonSyntax, tool: '', policy: 'strict' } as const;
  const controller = new AbortController();
  let steps = 0;
  function* counted(): Steps<void> {
    for (const _ of compileSchemaSteps(schema, options)) {
      steps += 1;
      if (steps === 2) controller.abort(new RangeError('enough'));
      yield;
    }
  }
  await expect(finishInTurns(counted(), controller.signal)).rejects.toThrow('enough');
  expect(steps).toBe(2);
  expect([...rules.rules.keys()]).toEqual(['before']);
  const fresh = new RuleSet();
  fresh.add('before', sequence(literal('a'), literal('b')));
  const wanted = compileSchema(schema, { ...options, rules: fresh });
  const again = compileSchema(schema, options);
  expect(again.issues).toEqual(wanted.issues);
  expect(rules.rules.size).toBe(fresh.rules.size);
});

test('timers run between two turns', async () => {
  let told = false;
  function* waiting(): Steps<number> {
    setTimeout(() => {
      told = true;
    });
    let steps = 0;
    // Without turns, this would never end.
    while (!told) {
      steps += 1;
      yield;
    }
    return steps;
  }
  expect(await finishInTurns(waiting())).toBeGreaterThan(0);
});

test('however many work in turns, the event loop has its turn as soon', async () => {
  // The turn of an earlier test is over.
  for (let turns = 0; turns < 2; turns += 1) await new Promise(setImmediate);
  let [sinceTurn, most, runs] = [0, 0, true];
  const turn = (): void => {
    sinceTurn = 0;
    if (runs) setImmediate(turn);
  };
  setImmediate(turn);
  function* working(): Steps<void> {
    for (let step = 0; step < 4; step += 1) {
      for (const start = performance.now(); performance.now() - start < 6; );
      sinceTurn += 1;
      most = Math.max(most, sinceTurn);
      yield;
    }
  }
  await Promise.all(Array.from({ length: 8 }, () => finishInTurns(working())));
  runs = false;
  // One by itself may do two in its 10 ms.
  expect(most).toBeLessThanOrEqual(2);
});
