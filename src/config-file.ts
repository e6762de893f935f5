// Reads configuration files: `cumulet.yaml`, which has the options and the world of a project.
import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Node, Pair, Scalar, YAMLMap } from 'yaml';
import { attributeOf, configOptions } from './config.ts';
import { presetFile, presetNames } from './emulator/worlds/presets.ts';
import { contentOf, parseYaml, WorldError, type YamlFile } from './emulator/worlds/yaml-file.ts';
import { commandName } from './kernel/command-line.ts';
import { loadYaml } from './kernel/lazy.ts';
import { InvalidOptionError, isOn, optionName, type OptionDeclaration } from './kernel/options.ts';
import { suggestion } from './kernel/user/nearest.ts';

/** The names of a configuration file that is found without being named. */
export const configFileNames = ['cumulet.yaml', 'cumulet.yml'] as const;

/**
 * The options about an emulator that keeps running, by their fields. The emulators of tests and of
 * `cumulet exec` ignore them in variables and in configuration files.
 */
export const lastingFields = [
  'port',
  'host',
  'listen',
  'nativePorts',
  'workers',
  'database',
  'journal',
] as const;

/**
 * The configuration file to read.
 * @param named the file, or `off` for none; by default the closest to the working directory
 * @throws Error with the next step if there is no such file
 */
export function findConfigFile(named: string | undefined): string | undefined {
  if (named === undefined || named === '') return closestFile(process.cwd());
  if (!isOn(named)) return undefined;
  if (!/\.ya?ml$/i.test(named))
    throw new Error(`--config ${named}: the name of a configuration file ends in .yaml or .yml.`);
  if (!isFile(named))
    throw new Error(`--config ${named}: no such file. '${commandName()} init' writes one.`);
  return resolve(named);
}

/**
 * The configuration file in a folder or, if that is in a repository or in the user's folder, in the
 * closest folder above that has one. Folders further up belong to others.
 */
function closestFile(folder: string): string | undefined {
  const folders = [folder];
  while (!isTop(folders.at(-1)!)) {
    const parent = dirname(folders.at(-1)!);
    if (parent === folders.at(-1)) return fileIn(folder);
    folders.push(parent);
  }
  for (const one of folders) {
    const found = fileIn(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a folder is that of a repository, or of the user. */
const isTop = (folder: string): boolean => folder === homedir() || existsSync(join(folder, '.git'));

const fileIn = (folder: string): string | undefined =>
  configFileNames.map((name) => join(folder, name)).find(isFile);

const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

/** The options that replace one another as what a new cloud starts from. */
const startingPoints = ['seed', 'preset', 'profile'];

/**
 * The values of a configuration file, by names of options such as `corsOrigin`. It leaves out what
 * other options replace.
 * @param given the options of the command line, of variables or of a program
 * @throws WorldError for a mistake in the file
 */
export function valuesOfFile(
  file: string,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const isGiven = (name: string): boolean => given[name] !== undefined;
  const replaced = new Set(
    configOptions
      .filter(({ declaration }) => isGiven(attributeOf(declaration)))
      .flatMap(({ declaration }) => [
        attributeOf(declaration),
        ...impliedBy(declaration, given[attributeOf(declaration)]),
      ]),
  );
  if (startingPoints.some(isGiven)) for (const name of startingPoints) replaced.add(name);
  return Object.fromEntries(
    readOptions(file)
      .filter(({ declaration, value }) => !impliedBy(declaration, value).some(isGiven))
      .map(({ declaration, value }) => [attributeOf(declaration), value] as const)
      .filter(([name]) => !replaced.has(name)),
  );
}

/** The names of the options that follow from a value of another one. */
function impliedBy(declaration: OptionDeclaration, value: unknown): string[] {
  const implied = declaration.implies?.(value) ?? {};
  return configOptions
    .filter(({ field }) => field in implied)
    .map((one) => attributeOf(one.declaration));
}

/** An option with the value that a file has for it. */
interface FileOption {
  readonly declaration: OptionDeclaration;
  readonly value: unknown;
}

/** All options of a file; its world is the option `seed`. @throws WorldError */
function readOptions(file: string): FileOption[] {
  const parsed = parseYaml(file);
  contentOf(parsed); // finds aliases without an anchor
  const { document, position } = parsed;
  const { isMap } = loadYaml();
  const content = document.contents;
  if (content !== null && !isMap(content))
    throw new WorldError(position(0), 'expected a mapping with the keys options and world.');
  const reader = new Reader(file, parsed);
  return ((content as YAMLMap | null)?.items ?? []).flatMap((pair) => {
    const section = reader.keyOf(pair);
    if (section === 'options') return reader.options(pair.value as Node | null);
    if (section === 'world') return reader.world(pair);
    throw reader.error(
      pair,
      `'${section}' is unknown. Expected: options, world.${suggestion(section, ['options', 'world'])}`,
    );
  });
}

/** Reads the sections of a file. */
class Reader {
  private readonly file: string;
  private readonly yaml: YamlFile;

  constructor(file: string, yaml: YamlFile) {
    this.file = file;
    this.yaml = yaml;
  }

  keyOf({ key }: Pair): string {
    return String((key as Scalar).value);
  }

  error({ key }: Pair, problem: string): WorldError {
    return new WorldError(this.yaml.position((key as Scalar).range?.[0] ?? 0), problem);
  }

  options(section: Node | null): FileOption[] {
    const { isMap, isScalar } = loadYaml();
    if (section === null || (isScalar(section) && section.value === null)) return [];
    if (!isMap(section)) {
      const position = this.yaml.position(section.range?.[0] ?? 0);
      throw new WorldError(position, 'options: expected a mapping from names to values.');
    }
    return section.items.map((pair) => {
      const name = this.keyOf(pair);
      const declaration = declarationOf(name);
      if (!declaration) {
        const names = fileOptions().map(optionName);
        const near =
          suggestion(name, names) || ` '${commandName()} start --help' lists the options.`;
        throw this.error(pair, `there is no option '${name}'.${near}`);
      }
      return { declaration, value: this.valueOf(pair, declaration) };
    });
  }

  private valueOf(pair: Pair, declaration: OptionDeclaration): unknown {
    const name = optionName(declaration);
    const content = (pair.value as Node | null)?.toJS(this.yaml.document) as unknown;
    if (content === null || content === undefined)
      throw this.error(pair, `options.${name} has no value. Give it one, or remove the line.`);
    const text = textOf(content);
    try {
      return declaration.parse(declaration.within?.(text, dirname(this.file)) ?? text);
    } catch (error) {
      // Other errors quote the value themselves, without its secrets.
      const quoted = error instanceof InvalidOptionError ? `'${text}' is not valid. ` : '';
      const problem = `options.${name}: ${quoted}${(error as Error).message}`;
      throw this.error(pair, problem);
    }
  }

  /** The world: the file itself if it is written there, or else a preset or another file. */
  world(pair: Pair): FileOption[] {
    const others = this.startingPoints();
    if (others.length)
      throw this.error(pair, `world and options.${others[0]} contradict each other. Remove one.`);
    const value = pair.value as Node | null;
    const declaration = declarationOf('seed')!;
    if (!loadYaml().isScalar(value)) return [{ declaration, value: this.file }];
    if (value.value === null) return [];
    const name = String(value.value);
    const named = presetNames().includes(name)
      ? presetFile(name)
      : resolve(dirname(this.file), name);
    if (isFile(named)) return [{ declaration, value: named }];
    throw this.error(
      pair,
      `world: '${name}' is neither a preset nor a file.${suggestion(name, presetNames())} ` +
        `'${commandName()} presets' lists the presets.`,
    );
  }

  /** The options of this file that say what a new cloud starts from. */
  private startingPoints(): readonly string[] {
    const options: unknown = this.yaml.document.get('options');
    if (!loadYaml().isMap(options)) return [];
    return startingPoints.filter((name) => options.has(name));
  }
}

/** The options that a file can have: all but the one that names it. */
export const fileOptions = (): readonly OptionDeclaration[] =>
  configOptions
    .map(({ declaration }) => declaration)
    .filter((declaration) => optionName(declaration) !== 'config');

const declarationOf = (name: string): OptionDeclaration | undefined =>
  fileOptions().find((declaration) => optionName(declaration) === name);

/** A value as text on the command line: lists and objects become lists of words. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, part]) => `${name}=${String(part)}`)
    .join(',');
}
