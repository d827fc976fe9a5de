/** Describes repairs: text that was read as a marker although the format does not have it. */
import type { Transition } from './state-tables.ts';

/** What was done, in readable form. */
export function repairDetail({ repairs, marker, role, passes, peek }: Transition<unknown>): string {
  const written = JSON.stringify(marker.trim().replace(/\s*\n\s*/g, ''));
  switch (repairs) {
    case 'arguments-marker':
      return 'the arguments follow the name at once';
    case 'empty-block':
      return `${written} holds no call`;
    case 'marker-part':
      return `${written} stands for a marker of which it is a part`;
    case 'spelling':
      return `${written} is a marker in other characters`;
    case 'fence':
      return 'the JSON stands in a code fence';
    case 'separator':
      if (passes) return 'the calls stand in a list';
      if (peek) return 'nothing separates the calls';
      return `calls are separated by ${written}`;
    case 'unclosed':
      if (role === 'call') return `${written} comes before the answer is closed`;
      if (role === 'thought') return `${written} begins before the turn is closed and opened again`;
      return `${written} ends the call early`;
    case 'special-token':
      return `${written} stands where nothing asks for it`;
    case 'result-marker':
      return `${written} belongs to the result of a tool`;
    default:
      if (marker === '') return 'nothing opens the first call of a section';
      return `calls are opened by ${written}`;
  }
}
