// The command `cumulet init`: writes the configuration file of a project.
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { configFileNames, findConfigFile } from '../config-file.ts';
import { presetNames } from '../emulator/worlds/presets.ts';
import { commandName } from '../kernel/command-line.ts';

/** Adds `cumulet init`. */
export function addInitCommand(program: Command): void {
  program
    .command('init')
    .description('write a cumulet.yaml with the options and the world of a project')
    .addOption(
      new Option('--preset <name>', 'name of the world of the project').choices(presetNames()),
    )
    .option('--force', 'overwrite the file if it exists')
    .action((options: { readonly preset?: string; readonly force?: true }) => init(options));
}

/** @throws Error with the next step if there is such a file */
function init({ preset, force = false }: { readonly preset?: string; readonly force?: boolean }) {
  const existing = configFileNames.find((name) => existsSync(name));
  if (existing !== undefined && !force)
    throw new Error(`${existing} exists. Edit it, or overwrite it with --force.`);
  const file = existing ?? configFileNames[0];
  writeFileSync(file, `${schemaLine()}${optionLines}\n${worldLines(preset)}`);
  // A variable may name another file, or switch files off.
  const isRead = findConfigFile(process.env['CUMULET_CONFIG']) === resolve(file);
  process.stdout.write(report(file, isRead));
}

function report(file: string, isRead: boolean): string {
  const name = commandName();
  const commands: readonly (readonly [string, string])[] = [
    [`${name} start`, 'start the cloud that it describes'],
    [`${name} exec -- COMMAND`, 'run a command, such as your tests, against such a cloud'],
    [`${name} presets`, 'list the worlds that it can name'],
  ];
  const width = Math.max(...commands.map(([command]) => command.length)) + 3;
  return [
    `Wrote ${file}, which cumulet and the libraries for tests read in this folder and below.`,
    ...(isRead ? [] : ['CUMULET_CONFIG says otherwise: unset it first.']),
    'Next:',
    ...commands.map(([command, meaning]) => `  ${command.padEnd(width)}${meaning}`),
    '',
  ].join('\n');
}

/** The line by which editors find the schema of the package, if it is installed here. */
function schemaLine(): string {
  const schema = 'node_modules/cumulet/worlds/cumulet.schema.json';
  let folder = resolve('');
  while (!existsSync(join(folder, schema))) {
    if (dirname(folder) === folder) return '';
    folder = dirname(folder);
  }
  const path = relative('', join(folder, schema)).replaceAll('\\', '/');
  return `# yaml-language-server: $schema=${path}\n`;
}

const optionLines = `# Options of the command line and CUMULET_ variables take precedence over this file.

# What 'cumulet start --help' lists. Paths are relative to this file.
options:
  # port: 6060
  # database: 'memory:'
  # regions: [RegionOne, RegionTwo]
  # latency: { server.create: 2s }
`;

/** The section with the world. */
const worldLines = (preset: string | undefined): string =>
  preset === undefined
    ? `# What a new cloud and a reset start from: sections as below, the name of a preset, or a file.
world:
  hosts: 3
  projects: [web]
  users: [{ name: dev, password: secret, project: web }]
  # flavors: [{ name: web, vcpus: 2, ram: 2048, disk: 10 }]
  # servers: [{ name: web, count: 2, project: web }]
`
    : `# What a new cloud and a reset start from: a preset, a file, or the sections of a world.
# 'cumulet presets ${preset}' prints those of this preset.
world: ${preset}
`;
