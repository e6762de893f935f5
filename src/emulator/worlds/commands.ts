// The command `cumulet presets`.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { loadYaml } from '../../kernel/lazy.ts';
import { print, printJson } from '../client.ts';
import { oneOf } from '../../kernel/options.ts';
import { listPresets, presetFile, presetNames } from './presets.ts';

/** Adds `cumulet presets`. */
export function addPresetsCommand(program: Command): void {
  program
    .command('presets')
    .description('list the worlds that --preset starts from, or print the file of one')
    .argument('[name]', 'name of the preset to print')
    .option('--json', 'print JSON')
    .action((name: string | undefined, { json = false }: { readonly json?: boolean }) => {
      if (name === undefined) return printList(json);
      const file = readFileSync(presetFile(oneOf(presetNames(), name)), 'utf8');
      if (json) printJson(loadYaml().parse(file));
      else process.stdout.write(file);
    });
}

function printList(json: boolean): void {
  const presets = listPresets();
  if (json) return printJson(presets);
  const width = Math.max(...presets.map(({ name }) => name.length));
  for (const { name, description } of presets) print(`${name.padEnd(width)}  ${description}`);
}
