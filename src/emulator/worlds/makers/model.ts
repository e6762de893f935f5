// What makers get: the region that they fill, and the entries of a section one at a time.
import type { RegionClient, WorldClient } from '../client.ts';
import type { World, WorldPath } from '../model.ts';

/** Runs a maker's step; an error names the part of the file that asked for it. */
export type At = <T>(path: WorldPath, step: () => Promise<T>) => Promise<T>;

/** A section of a world that concerns the whole cloud. */
export interface CloudMaker {
  readonly section: keyof World;
  readonly make: (client: WorldClient, world: World, at: At) => Promise<number>;
}

/** A section of a region. `path` leads to the sections of the region. */
export type MakeSection<T> = (region: RegionClient, section: T, at: At) => Promise<number>;

/** Makes the entries of a list, and returns how many. */
export async function each<T>(
  entries: readonly T[],
  at: At,
  make: (entry: T, index: number) => Promise<unknown>,
): Promise<number> {
  for (const [index, entry] of entries.entries()) await at([index], () => make(entry, index));
  return entries.length;
}

/** An entry that may be a name only. */
export const named = <T extends { readonly name: string }>(entry: string | T): T =>
  typeof entry === 'string' ? ({ name: entry } as T) : entry;

/** The names of `count` resources: `web-1`, `web-2`, ...; the name itself without a count. */
export const namesOf = (name: string, count: number | undefined): readonly string[] =>
  count === undefined ? [name] : Array.from({ length: count }, (_, at) => `${name}-${at + 1}`);

/** The fields that are given. */
export const given = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Values as texts, as properties and extra specs have them. */
export const textsOf = (
  values: Readonly<Record<string, string | number | boolean>>,
): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]));
