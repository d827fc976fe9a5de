/** Counted repetitions within llama.cpp's limit. */

import { BudgetExceeded } from '../expression/budget.ts';
import { choice, type Expression, repeat, sequence } from '../expression/expression.ts';
import type { RuleSet } from '../expression/rule-set.ts';

/** The engine expands at most this many copies; beyond, it fails or drops the bound. */
const maxCount = 2000;

/** Maximum repetition count, because each block of iterations becomes a rule. */
export const maxRepetitions = 1000 * maxCount;

/** Repeats `item`, a rule or class, from `min` to `max` times. Large counts are split into blocks. */
export function countedRepeat(item: Expression, min: number, max: number | null, rules: RuleSet): Expression {
  const single = item.type === 'class' || item.type === 'rule' ? item : rules.add('item', item);
  if (Math.max(min, max ?? 0) > maxRepetitions) throw new BudgetExceeded('repetitions');
  const blocks = Math.floor((min - 1) / maxCount);
  if (min > maxCount) {
    const block = rules.add('block', repeat(single, maxCount, maxCount));
    const rest = min - blocks * maxCount;
    const more = max === null ? null : max - blocks * maxCount;
    return sequence(repeat(block, blocks, blocks), countedRepeat(single, rest, more, rules));
  }
  if (max === null || max <= maxCount) return repeat(single, min, max);
  if (min > 0) return sequence(repeat(single, min, min), countedRepeat(single, 0, max - min, rules));
  return upTo(single, max, rules);
}

/** At most `max` times: a full block and the rest, or less than a block. The longer alternative comes first. */
function upTo(item: Expression, max: number, rules: RuleSet): Expression {
  if (max <= maxCount) return repeat(item, 0, max);
  const block = rules.add('block', repeat(item, maxCount, maxCount));
  const rest = rules.add('up-to', upTo(item, max - maxCount, rules));
  return choice(sequence(block, rest), repeat(item, 0, maxCount - 1));
}
