// Completes the words of the command line.

/**
 * The arguments with the command: without one, it is `start`. An unknown word is left for commander
 * to report, with a suggestion.
 */
export function withCommand([first, ...others]: readonly string[]): readonly string[] {
  if (first === undefined) return ['start'];
  const own = ['-h', '--help', '-V', '--version'];
  return first.startsWith('-') && !own.includes(first)
    ? ['start', first, ...others]
    : [first, ...others];
}
