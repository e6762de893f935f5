// The mistakes of mutants.yaml, and where in the sources they would be made.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export interface Mutant {
  readonly name: string;
  /** A regular expression, which must be found once in all of src. */
  readonly find: string;
  readonly replace: string;
  /** The file of tests. */
  readonly run: string;
  /** The title of the test that must fail. */
  readonly 'killed by': string;
}

/** A place that a mutant's words are found at. */
export interface Place {
  readonly file: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export const readMutants = (): readonly Mutant[] =>
  parse(readFileSync(new URL('mutants.yaml', import.meta.url), 'utf8')) as readonly Mutant[];

/** Where in the sources below `root` a mutant's words stand. */
export function placesOf(root: string, { find }: Mutant): Place[] {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts'),
  );
  return files.flatMap((path) => {
    const file = join(root, 'src', path);
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(new RegExp(find, 'g'))].map(({ 0: found, index }) => ({
      file,
      text,
      from: index,
      to: index + found.length,
    }));
  });
}
