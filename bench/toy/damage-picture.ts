/** docs/damage.svg: shares of valid and of right calls over the noise on the weights, a line for each way of asking. */

/** One strength of the noise, and how each way came off. */
export interface Level {
  readonly share: number;
  readonly ways: readonly { readonly name: string; readonly valid: number; readonly right: number }[];
}

/** In pixels. */
const plot = { width: 330, height: 220, left: 48, top: 56, gap: 64, bottom: 76 } as const;
const size = {
  width: plot.left + 2 * plot.width + plot.gap + 24,
  height: plot.top + plot.height + plot.bottom,
} as const;

/** Hues that the colour-blind can tell apart, and a dash of its own for each. */
const looks = [
  { colour: '#0072b2', dash: '' },
  { colour: '#d55e00', dash: '7 4' },
  { colour: '#009e73', dash: '2 4' },
] as const;

/** What the legend calls each way, and where its entry begins. */
const legend: Readonly<Record<string, { readonly label: string; readonly x: number }>> = {
  idiolect: { label: 'Idiolect', x: 0 },
  'llama.cpp': { label: 'llama.cpp’s chat layer', x: 130 },
  free: { label: 'no constraint, read by Idiolect’s parser', x: 340 },
};

/** The picture as SVG. */
export function drawDamage(levels: readonly Level[]): string {
  const names = levels[0]?.ways.map(({ name }) => name) ?? [];
  const panels = (['valid', 'right'] as const).map((key, index) => {
    const left = plot.left + index * (plot.width + plot.gap);
    const title = key === 'valid' ? 'Calls that their schema takes' : 'Calls that are right in all';
    return `<g transform="translate(${left} ${plot.top})">${axes(levels, title)}${names
      .map((name, way) => line(levels, name, key, way))
      .join('')}</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" width="${size.width}" height="${size.height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="Valid and right calls of a damaged model, with and without constraint">`,
    `<rect width="100%" height="100%" rx="8" fill="#ffffff"/>`,
    `<text x="${plot.left}" y="24" font-size="14" font-weight="600" fill="#1f2328">A small trained model, with more and more noise on its weights</text>`,
    ...panels,
    ...names.map(legendEntry),
    '</svg>',
    '',
  ].join('\n');
}

function axes(levels: readonly Level[], title: string): string {
  const rows = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = yOf(share);
    return `<line x1="0" x2="${plot.width}" y1="${y}" y2="${y}" stroke="#d8dee4"/><text x="-8" y="${y + 4}" text-anchor="end" fill="#57606a">${100 * share} %</text>`;
  });
  const columns = levels.map(
    ({ share }) =>
      `<text x="${xOf(share, levels)}" y="${plot.height + 18}" text-anchor="middle" fill="#57606a">${share}</text>`,
  );
  const name = `<text x="0" y="-10" font-weight="600" fill="#1f2328">${title}</text>`;
  const unit = `<text x="${plot.width / 2}" y="${plot.height + 36}" text-anchor="middle" fill="#57606a">noise, as a share of the weights’ deviation</text>`;
  return [name, ...rows, ...columns, unit].join('');
}

function line(levels: readonly Level[], name: string, key: 'valid' | 'right', way: number): string {
  const points = levels.map(({ share, ways }) => {
    const value = ways.find((each) => each.name === name)?.[key] ?? 0;
    return [xOf(share, levels), yOf(value)] as const;
  });
  const { colour, dash } = lookOf(way);
  const dots = points.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3" fill="${colour}"/>`).join('');
  return `<polyline points="${points.map(([x, y]) => `${x},${y}`).join(' ')}" fill="none" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>${dots}`;
}

function legendEntry(name: string, way: number): string {
  const { colour, dash } = lookOf(way);
  const { label, x: offset } = legend[name] ?? { label: name, x: 0 };
  const x = plot.left + offset;
  const y = size.height - 16;
  return `<line x1="${x}" x2="${x + 28}" y1="${y - 4}" y2="${y - 4}" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/><text x="${x + 36}" y="${y}" fill="#1f2328">${label}</text>`;
}

function lookOf(way: number): (typeof looks)[number] {
  return looks[way % looks.length] ?? looks[0];
}

function xOf(share: number, levels: readonly Level[]): number {
  const most = levels.at(-1)?.share || 1;
  return rounded((share / most) * plot.width);
}

function yOf(value: number): number {
  return rounded((1 - value) * plot.height);
}

function rounded(value: number): number {
  return Math.round(10 * value) / 10;
}
