/** Responses in harmony, the format of gpt-oss: every form of a call's header, thoughts, preambles and answers. */

/** A response in harmony. */
export interface HarmonyResponse {
  readonly id: number;
  readonly text: string;
  /** Whether it is compared at every token. */
  readonly cuts: boolean;
}

const thoughts = [
  'The user wants the weather.',
  'Hm.',
  'Line one.\nLine two: {"a": 1} <b>x</b>',
  'ünïcödé 🙂 — ok',
  '',
];
const texts = ['Hello!', 'It is **sunny**.\n\n- 20°', '{"ok": true}', 'Ωmega 日本語', ''];
const preambles = ['Let me check the weather.', "I'll first search,\nthen read."];
const inputs = [
  '{"city": "Oslo"}',
  '{"city":"Oslo","days":2}',
  '{}',
  '{\n  "city": "Zürich"\n}',
  '{"q": "a \\"b\\" \\n c", "n": null}',
];
const names = ['get_weather', 'search-web', 'f1'];

/** Headers of calls: the recipient in the role or in the channel, with a blank, tight or without a content type. */
const headers: readonly ((recipient: string) => string)[] = [
  (to) => `<|channel|>commentary to=${to} <|constrain|>json<|message|>`,
  (to) => ` to=${to}<|channel|>commentary <|constrain|>json<|message|>`,
  (to) => ` to=${to}<|channel|>commentary json<|message|>`,
  (to) => `<|channel|>commentary to=${to} json<|message|>`,
  (to) => `<|channel|>commentary to=${to}<|message|>`,
  (to) => ` to=${to}<|channel|>commentary<|message|>`,
  (to) => `<|channel|>commentary to=${to}<|constrain|>json<|message|>`,
  (to) => `<|channel|>commentary to=${to} code<|message|>`,
  (to) => `<|channel|>analysis to=${to} <|constrain|>json<|message|>`,
  (to) => `<|channel|>analysis to=${to} code<|message|>`,
  (to) => ` to=${to}<|channel|>analysis <|constrain|>json<|message|>`,
];

const next = '<|start|>assistant';

/** Some 300 responses; every combination of parts that the format document shows, values in turn. */
export function drawHarmony(): readonly HarmonyResponse[] {
  let turn = 0;
  const pick = <Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item => {
    turn += 1;
    const item = items[turn % items.length];
    if (item === undefined) throw new RangeError('nothing to pick from');
    return item;
  };
  const thought = () => `<|channel|>analysis<|message|>${pick(thoughts)}<|end|>`;
  const preamble = () => `<|channel|>commentary<|message|>${pick(preambles)}<|end|>`;
  const final = () => `<|channel|>final<|message|>${pick(texts)}${pick(['<|return|>', '', '<|end|>'])}`;
  const call = (header: (recipient: string) => string) =>
    `${header(`functions.${pick(names)}`)}${pick(inputs)}<|call|>`;
  const shapes: readonly ((header: (recipient: string) => string) => string)[] = [
    (header) => call(header),
    (header) => [thought(), call(header)].join(next),
    (header) => [thought(), preamble(), call(header)].join(next),
    (header) => [preamble(), thought(), call(header)].join(next),
    (header) => [thought(), call(header).replace('<|call|>', '<|end|>'), call(header)].join(next),
    (header) => [call(header).replace('<|call|>', '<|end|>'), final()].join(next),
    () => [thought(), final()].join(next),
    () => final(),
    () => [thought(), thought(), final()].join(next),
    () => [thought(), preamble(), final()].join(next),
  ];
  const all = Array.from({ length: 3 }, () =>
    headers.flatMap((header) => shapes.map((shape) => shape(header))),
  );
  return all.flat().map((text, id) => ({ id, text, cuts: id % 11 === 3 }));
}
