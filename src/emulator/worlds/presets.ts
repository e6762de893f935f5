// The presets: worlds that are part of the package, each a file in worlds/presets.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { worldsFolder } from './read.ts';

/** A preset in the list. */
export interface Preset {
  readonly name: string;
  readonly description: string;
  readonly file: string;
}

const folder = (): string => join(worldsFolder(), 'presets');

/** The file of a preset. */
export const presetFile = (name: string): string => join(folder(), `${name}.yaml`);

/** The names of all presets, sorted. */
export const presetNames = (): readonly string[] =>
  readdirSync(folder())
    .flatMap((file) => /^(.+)\.yaml$/.exec(file)?.[1] ?? [])
    .toSorted();

/** All presets, sorted by name. */
export const listPresets = (): readonly Preset[] =>
  presetNames().map((name) => {
    const file = presetFile(name);
    const [, description = ''] = /^description: (.+)$/m.exec(readFileSync(file, 'utf8')) ?? [];
    return { name, description, file };
  });
