// Tables of text for people.

/** Aligns columns to the left, below their titles. */
export function tableLines(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const all = [titles, ...rows];
  const widths = titles.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
