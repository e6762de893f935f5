// The command `cumulet what-if`: makes changes in a copy of a running cloud.
import type { Command } from 'commander';
import {
  addressed,
  callEmulator,
  print,
  printJson,
  withAddress,
  withJson,
  type AddressOptions,
  type EmulatorAddress,
  type JsonOption,
} from '../client.ts';
import { contentOf, parseYaml } from '../worlds/yaml-file.ts';

interface WhatIfOptions extends JsonOption {
  readonly region?: string;
}

/** Adds `cumulet what-if`. */
export function addWhatIfCommand(program: Command): void {
  const command = program
    .command('what-if')
    .description('make changes in a copy of the cloud, and compare what fits before and after')
    .argument('<file>', 'YAML file with changes, and questions')
    .option('--region <region>', 'region; the first one by default');
  withAddress(withJson(command)).action((file: string, options: WhatIfOptions & AddressOptions) =>
    showWhatIf(file, addressed(options)),
  );
}

/** Prints what would change. @throws Error as `callEmulator`; WorldError if the file is not YAML */
export async function showWhatIf(
  file: string,
  { region, json, ...address }: EmulatorAddress & WhatIfOptions,
): Promise<void> {
  const content = contentOf(parseYaml(file));
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new Error(
      `${file}: expected an object with 'changes', such as [{drain_host: compute-1}].`,
    );
  const body = { ...content, ...(region === undefined ? {} : { region }) };
  const { what_if: result } = (await callEmulator(address, 'POST', '/what-if', body)) as {
    what_if: { readonly text: readonly string[] };
  };
  if (json) printJson(result);
  else for (const line of result.text) print(line);
}
