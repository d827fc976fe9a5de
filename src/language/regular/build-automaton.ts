/** Builds minimal automata from terms. */
import { BudgetExceeded, type StepBudget } from '../expression/budget.ts';
import { finish, type Steps } from '../expression/steps.ts';
import type { Automaton, AutomatonEdge, AutomatonState } from './automaton.ts';
import { minimise } from './minimise.ts';
import type { Term, Terms } from './terms.ts';

/** The most states of an automaton. */
export const maxAutomatonStates = 6000;

/** Builds the minimal automaton of `term`. Throws `BudgetExceeded` if it needs too many states. */
export function buildAutomaton(terms: Terms, term: Term, budget: StepBudget): Automaton {
  return finish(buildAutomatonSteps(terms, term, budget));
}

/** `buildAutomaton` in steps. */
export function* buildAutomatonSteps(terms: Terms, term: Term, budget: StepBudget): Steps<Automaton> {
  const numbers = new Map<number, number>([[term.id, 0]]);
  const queue: Term[] = [term];
  const states: AutomatonState[] = [];
  for (let at = 0; at < queue.length; at += 1) {
    const current = queue[at] ?? term;
    const edges: AutomatonEdge[] = [];
    for (const [set, target] of terms.transitions(current)) {
      if (target === terms.nothing) continue;
      const number = numbers.get(target.id) ?? numbers.size;
      if (number === numbers.size) {
        numbers.set(target.id, number);
        queue.push(target);
      }
      edges.push([set, number]);
    }
    if (queue.length > maxAutomatonStates) throw new BudgetExceeded('automaton states');
    budget.spend(1 + edges.length);
    states.push({ accepts: current.nullable, edges });
    yield;
  }
  return minimise({ states }, budget);
}
