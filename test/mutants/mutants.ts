// Reads the known mistakes (mutants) from the YAML files of this directory, and finds the place in
// src that each one changes.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';

export interface Mutant {
  /** The name of the YAML file without its extension, such as `volume`. */
  readonly area: string;
  /** What the client would see. */
  readonly name: string;
  /** A regular expression that matches exactly one place in all of src. */
  readonly find: string;
  readonly replace: string;
  /** The test file to run. */
  readonly run: string;
  /** The title of the test that must fail. */
  readonly 'killed by': string;
}

/** A match of a mutant's expression. */
export interface Place {
  readonly file: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** The areas, one for each YAML file, sorted by name. */
export const areas: readonly string[] = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.yaml'))
  .map((file) => basename(file, '.yaml'))
  .toSorted();

/** Reads the mutants of all areas. */
export const readMutants = (): readonly Mutant[] =>
  areas.flatMap((area) => {
    const text = readFileSync(join(import.meta.dirname, `${area}.yaml`), 'utf8');
    return (parse(text) as Omit<Mutant, 'area'>[]).map((mutant) => ({ area, ...mutant }));
  });

/**
 * The mutants that at least one filter selects; all of them if there is no filter. A filter is an
 * area (`volume`), the path of its YAML file, or part of a mutant's name in any case.
 */
export function selectMutants(
  mutants: readonly Mutant[],
  filters: readonly string[],
): readonly Mutant[] {
  if (!filters.length) return mutants;
  const selects = (filter: string, { area, name }: Mutant): boolean => {
    const named = basename(filter, '.yaml');
    return areas.includes(named)
      ? area === named
      : name.toLowerCase().includes(filter.toLowerCase());
  };
  return mutants.filter((mutant) => filters.some((filter) => selects(filter, mutant)));
}

/** All matches of a mutant's expression in `root`/src. */
export function placesOf(root: string, { find }: Pick<Mutant, 'find'>): Place[] {
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
