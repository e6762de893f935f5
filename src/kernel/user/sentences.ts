// Words in sentences for people: counts, and lists of names.

/** How many names a sentence lists. */
const maxNames = 10;

/** The first names, and how many more there are: `compute-1, compute-2 and 12 more`. */
export function someOf(names: readonly string[], most = maxNames): string {
  const shown = names.slice(0, most);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** The singular of a regular plural: `policy` of `policies`. */
export const singularOf = (nouns: string): string => nouns.replace(/ies$/, 'y').replace(/s$/, '');

/** A number with a noun in the plural: `1 policy` of `policies`. */
export const countedAmong = (count: number, nouns: string): string =>
  `${count} ${count === 1 ? singularOf(nouns) : nouns}`;

/** A number with a noun: `1 host`, `3 hosts`. */
export const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
