/** What follows from a trial, in one sentence. */
import type { Score, TrialRow } from './trial.ts';

/** Fewer questions than this are noise. */
const lead = 2;

/** Advises on the template to use, from the enforced rows. */
export function adviceFrom(rows: readonly TrialRow[]): string {
  const tried = rows.filter(({ mode }) => mode === 'enforced');
  const own = tried.find(({ template }) => template === 'own');
  const [first, ...others] = tried;
  if (first === undefined) return 'Nothing was tried.';
  const best = others.reduce((found, row) => (total(row).right > total(found).right ? row : found), first);
  const calls = sum([best.one, best.several]);
  if (calls.right * 2 < calls.asked)
    return `Do not rely on its calls: at best, ${part(calls)} that need calls are right (${titleOf(best)}).`;
  const { right } = total(best);
  if (own !== undefined && right - total(own).right < lead)
    return `Keep its own template: ${part(total(own))} are right${habit(own)}.`;
  const without = own === undefined ? '' : `, ${total(own).right} in its own template`;
  return `Load it with toolFormat: '${best.template}' (--tool-format ${best.template}): ${part(total(best))} are right${without}${habit(best)}.`;
}

function titleOf({ template }: TrialRow): string {
  return template === 'own' ? 'in its own template' : `in ${template}`;
}

/** What to know about the best one. */
function habit({ none }: TrialRow): string {
  if (none.right * 2 >= none.asked) return '';
  return `; it calls where no call is needed (${none.asked - none.right} of ${none.asked})`;
}

function total({ one, several, none }: TrialRow): Score {
  return sum([one, several, none]);
}

function sum(scores: readonly Score[]): Score {
  return {
    right: scores.reduce((right, score) => right + score.right, 0),
    asked: scores.reduce((asked, score) => asked + score.asked, 0),
  };
}

function part({ right, asked }: Score): string {
  return `${right} of ${asked} answers`;
}
