// Words for yes and no in bodies and queries.

/** What a word means, as oslo's strutils reads it strictly; undefined for any other word. */
export function boolOf(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (['1', 't', 'true', 'on', 'y', 'yes'].includes(word)) return true;
  return ['0', 'f', 'false', 'off', 'n', 'no'].includes(word) ? false : undefined;
}
