/** Limits of what is inferred from templates and their prompts. */
import { solveRepetition } from '../../../src/analysis/literals/repetition.ts';
import { TemplateProber } from '../../../src/analysis/probes/template-prober.ts';
import { findJson } from '../../../src/analysis/prompt/json-examples.ts';
import { findTagged } from '../../../src/analysis/prompt/tagged-examples.ts';
import { findDroppedThoughts } from '../../../src/analysis/reasoning/dropped-thoughts.ts';
import {
  findOptionalThoughts,
  findRequestedThoughts,
} from '../../../src/analysis/reasoning/requested-thoughts.ts';
import { wordsOf } from '../../../src/codegen/emit-parser-module.ts';
import { anySentinels } from '../../../src/template/prompt/sentinels.ts';
import { parseTemplate } from '../../../src/template/template.ts';
import type { Rows } from '../source-limits.ts';

const numbersTo = (size: number) => Array.from({ length: size }, (_, at) => at);
const evenly = { weight: () => 1 } as never;
const sentinels = anySentinels('');

/** Markers of which none mirrors another. */
const markersTo = (size: number) => numbersTo(size).map((at) => `[m${at}]`);

/** What is found of a template whose source has `markers`, and whose turns drop what `drops` says of an answer. */
function findDropped(markers: readonly string[], drops: (content: string) => string) {
  const turn = ({ content = '' }: { readonly content?: string }) => drops(content);
  const prober = { sentinels, turn };
  const probes = { callThenTool: { id: 'a' }, oneCall: {} };
  const log = { warn: () => undefined, support: () => undefined };
  const template = { source: markers.join(' ') };
  return findDroppedThoughts({ template, prober, probes, log } as never);
}

export const inferredRows: Rows = {
  // So many cuts, with the one before all markers.
  'analysis/literals/repetition.ts maxCuts': (size) => {
    const between = numbersTo(size - 1)
      .map((at) => `<${at}>`)
      .join('');
    const opened = solveRepetition({ before: `a${between}`, between, after: 'z', none: null }, evenly);
    const closed = solveRepetition({ before: 'a', between, after: `${between}z`, none: null }, evenly);
    return opened.itemOpen === between && closed.itemClose === between;
  },
  // A marker before or after each item; one of both is the more frequent boundary by one.
  'analysis/literals/repetition.ts maxWeight': (size) => {
    const weight = (_: string, right: string) => (right.startsWith('<x>') ? size : size - 1);
    const text = { before: 'a<x>', between: '<x>', after: '<x>z', none: null };
    return !solveRepetition(text, { weight } as never).tie;
  },
  'analysis/probes/template-prober.ts maxTurnLength': (size) => {
    const asked = "{% for message in messages if message.role == 'user' %}{{ message.content }}{% endfor %}";
    const prober = new TemplateProber(parseTemplate(asked + 'a'.repeat(size)), sentinels);
    return prober.conversation({ id: 'a', content: 'b' }) !== null;
  },
  // Its object, its section or an argument, as the example's kind is.
  'analysis/prompt/call-example.ts maxExampleLength': (size) => {
    const [begin, end] = ['{"name": "a", "arguments": {"b": "', '"}}'];
    const object = `${begin}${'c'.repeat(size - begin.length - end.length)}${end}`;
    const entry = '<k>key</k><v>value</v>';
    const elements = `<call>name${entry}${' '.repeat(size - entry.length)}</call>`;
    return findJson(object)?.kind === 'json' && findTagged(elements)?.kind === 'tagged';
  },
  // The last of so many markers ends the thoughts.
  'analysis/reasoning/dropped-thoughts.ts maxMarkers': (size) => {
    const closer = '[/last]';
    const cut = (content: string) => content.slice(content.lastIndexOf(closer) + 1);
    return findDropped([...markersTo(size - 1), closer], cut) !== null;
  },
  // Each marker is removed; only after the first one, what comes before the last one is, too.
  'analysis/reasoning/dropped-thoughts.ts maxTreated': (size) => {
    const markers = markersTo(size);
    const [first = '', last = ''] = [markers[0], markers.at(-1)];
    const cut = (content: string) => {
      const isDropped = content.startsWith(first) && content.includes(last);
      const kept = isDropped ? content.slice(content.indexOf(last)) : content;
      return kept.replace(/\[m\d+\]/g, '');
    };
    return findDropped(markers, cut) !== null;
  },
  'analysis/reasoning/requested-thoughts.ts maxRequestLength': (size) => {
    const words = `${'think'.padEnd(size)}<a></a> ${sentinels.user}`;
    const prober = { sentinels, render: () => words };
    return findRequestedThoughts({ prober } as never) !== null;
  },
  // In the order of their names, the last one shows thoughts.
  'analysis/reasoning/requested-thoughts.ts maxVariables': (size) => {
    const names = numbersTo(size).map((at) => `think_${at}`);
    const source = `{% if ${names.at(-1)} %}{{ messages[1].thought }}{% endif %}${names.map((name) => `{{ ${name} }}`).join('')}`;
    const template = parseTemplate(source);
    const asked = { turn: () => sentinels.reasoning };
    const prober = { sentinels, thinkingVariables: [], form: {}, inForm: () => asked };
    return findOptionalThoughts({ template, prober, probes: {} } as never) !== null;
  },
  'codegen/emit-parser-module.ts maxWords': (size) => {
    const words = 'One Two Three Four Five Six'.split(' ').slice(0, size);
    return wordsOf(`<${words.join('_')}>`) === words.join('');
  },
};
