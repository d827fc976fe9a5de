/**
 * How llama.cpp expands repetitions: it makes a rule for each optional iteration, each group and each name it sees
 * for the first time. An item's weight is the number of rules that reading it makes; weight times iterations must not
 * exceed 2,000.
 */
import type { GbnfNode } from './gbnf.ts';

/** Weight of a repeated item. `isNew` tells whether this is the first occurrence of a name. */
export function repetitionWeight(item: GbnfNode, isNew: (name: string) => boolean = () => true): number {
  return isGroup(item, 'repeated') ? Math.max(1, madeInGroup(item, isNew)) : 1;
}

function isGroup(node: GbnfNode, place: 'item' | 'repeated'): boolean {
  if (node.type === 'choice') return true;
  return place === 'repeated' && (node.type === 'sequence' || node.type === 'repeat');
}

function madeInGroup(node: GbnfNode, isNew: (name: string) => boolean): number {
  return 1 + made(node, isNew);
}

function made(node: GbnfNode, isNew: (name: string) => boolean): number {
  const inside = (each: GbnfNode, place: 'item' | 'repeated'): number =>
    isGroup(each, place) ? madeInGroup(each, isNew) : made(each, isNew);
  switch (node.type) {
    case 'reference':
      return isNew(node.name) ? 1 : 0;
    case 'sequence':
      return node.items.reduce((sum, item) => sum + inside(item, 'item'), 0);
    case 'choice':
      return node.alternatives.reduce((sum, each) => sum + made(each, isNew), 0);
    case 'repeat':
      return inside(node.item, 'repeated') + (node.max === null ? 1 : node.max - node.min);
    default:
      return 0;
  }
}
