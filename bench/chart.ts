// Draws a line chart with logarithmic axes as SVG, in colours for light and dark pages.

/** A chart: for each line a positive value at each place of the horizontal axis. */
export interface Chart {
  readonly title: string;
  /** Positive and increasing. */
  readonly at: readonly number[];
  readonly lines: readonly { readonly name: string; readonly values: readonly number[] }[];
}

const [width, height] = [760, 420];
const margin = { left: 52, top: 44, right: 220, bottom: 36 };
const colours = ['#2f7ed8', '#d9730d', '#2e9b57', '#c0392b', '#8e5bd0', '#7a6a00'];
const dashes = ['', '6 3', '2 3', '9 3 2 3', '12 4', '4 2 1 2'];

/** The chart as an SVG document. */
export function chartOf({ title, at, lines }: Chart): string {
  const all = lines.flatMap(({ values }) => values);
  const [low, high] = [powerBelow(Math.min(...all)), powerAbove(Math.max(...all))];
  const x = scale(at[0]!, at.at(-1)!, margin.left, width - margin.right);
  const y = scale(low, high, height - margin.bottom, margin.top);
  const powers: number[] = [];
  for (let power = low; power <= high * 1.001; power *= 10) powers.push(power);
  const grid = powers.map(
    (power) =>
      `<path d="M${margin.left} ${y(power)}H${width - margin.right}" stroke="#8886" />` +
      text(margin.left - 8, y(power) + 4, label(power), 'end'),
  );
  const ticks = at.map((value) =>
    text(x(value), height - 12, value.toLocaleString('en'), 'middle'),
  );
  const names = spread(lines.map(({ values }) => y(values.at(-1)!)));
  const drawn = lines.map(({ name, values }, index) => {
    const points = values.map((value, place) => `${x(at[place]!)} ${y(value)}`).join('L');
    const colour = colours[index % colours.length]!;
    const dash = dashes[index % dashes.length]!;
    return (
      `<path d="M${points}" fill="none" stroke="${colour}" stroke-width="2.5"` +
      `${dash ? ` stroke-dasharray="${dash}"` : ''} />` +
      text(width - margin.right + 8, names[index]! + 4, name, 'start', colour)
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" ` +
      `font-family="system-ui, sans-serif" font-size="13"><title>${title}</title>`,
    text(margin.left, 20, title, 'start', '#888', 15),
    ...grid,
    ...ticks,
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

/** Maps values to places, logarithmically. */
function scale(from: number, to: number, start: number, end: number): (value: number) => number {
  const span = Math.log(to / from);
  return (value) => Math.round(start + (Math.log(value / from) / span) * (end - start));
}

const powerBelow = (value: number): number => 10 ** Math.floor(Math.log10(value));
const powerAbove = (value: number): number => 10 ** Math.ceil(Math.log10(value));

const label = (power: number): string => String(Number(power.toPrecision(1)));

function text(
  x: number,
  y: number,
  content: string,
  anchor: 'start' | 'middle' | 'end',
  colour = '#888',
  size = 13,
): string {
  const font = size === 13 ? '' : ` font-size="${size}"`;
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${colour}"${font}>${content}</text>`;
}

/** Moves labels apart that would cover each other. */
function spread(places: readonly number[]): number[] {
  const moved = [...places];
  const order = places.map((_, index) => index).sort((one, other) => places[one]! - places[other]!);
  for (const [position, index] of order.entries()) {
    const above = order[position - 1];
    if (above !== undefined) moved[index] = Math.max(moved[index]!, moved[above]! + 17);
  }
  return moved;
}
