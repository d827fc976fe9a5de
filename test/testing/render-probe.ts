/** What a template writes for a probe, as `docs/probes.md` shows it. */
import { type Probe, probeTable, valueProbe } from '../../src/analysis/probes/probes.ts';
import { TemplateProber } from '../../src/analysis/probes/template-prober.ts';
import type { JsonValue } from '../../src/format/messages.ts';
import { chooseSentinels, type Sentinels } from '../../src/template/prompt/sentinels.ts';
import { parseTemplate } from '../../src/template/template.ts';

/** The turn or the prompt that a template writes for the probe with an id, its sentinels in words. */
export function renderProbe(source: string, id: string): string {
  const sentinels = chooseSentinels(source);
  if (sentinels === null) throw new Error('the template holds every sentinel');
  const prober = new TemplateProber(parseTemplate(source), sentinels);
  const table = probeTable(sentinels);
  if (id === 'prompt-unset' || id === 'prompt-on' || id === 'prompt-off') {
    return inWords(
      prober.prompt(id === 'prompt-on' ? 'on' : id === 'prompt-off' ? 'off' : 'unset'),
      sentinels,
    );
  }
  const probe = Object.values(table).find((each) => each.id === id) ?? probeOfValue(sentinels, id);
  const turn = prober.turn(probe);
  if (turn === null) throw new Error(`the template refuses the probe ${id}`);
  return inWords(turn, sentinels);
}

function probeOfValue(sentinels: Sentinels, id: string): Probe {
  const { typed, inner } = sentinels;
  const values: Readonly<Record<string, readonly [string, JsonValue]>> = {
    'value-null': [typed.null, null],
    'value-boolean': [typed.boolean, true],
    'value-nested-object': [typed.object, { [inner[0]]: inner[1], [inner[2]]: inner[3] }],
  };
  const found = values[id];
  if (found === undefined) throw new Error(`no render of the probe ${id} can be shown`);
  return valueProbe(sentinels, found[0], found[1], id.slice('value-'.length));
}

function inWords(text: string, sentinels: Sentinels): string {
  const numbered = (word: string, texts: readonly string[]) =>
    texts.map((each, index) => [each, `${word}${index + 1}`] as const);
  const words = [
    [sentinels.content, 'ANSWER'] as const,
    [sentinels.reasoning, 'THOUGHT'] as const,
    ...numbered('NAME', sentinels.names),
    ...numbered('ID', sentinels.ids),
    ...numbered('KEY', sentinels.keys),
    ...numbered('VALUE', sentinels.values),
    ...numbered('INNER', sentinels.inner),
    ...Object.values(sentinels.typed).map((each) => [each, 'KEY'] as const),
    [sentinels.bos, '<s>'] as const,
    [sentinels.eos, '</s>'] as const,
  ];
  return words.reduce((said, [sentinel, word]) => said.replaceAll(sentinel, word), text);
}
