// The command `cumulet audit`: reports what is inconsistent in a running emulator.
import type { Command } from 'commander';
import {
  addressed,
  callEmulator,
  print,
  printJson,
  queryOf,
  withAddress,
  withJson,
  type AddressOptions,
  type EmulatorAddress,
  type JsonOption,
} from '../client.ts';

interface AuditOptions extends JsonOption {
  readonly region?: string;
}

/** Adds `cumulet audit`. */
export function addAuditCommand(program: Command): void {
  const command = program
    .command('audit')
    .description('report what is inconsistent, with the commands that repair it; exits with 1')
    .option('--region <region>', 'region; all by default');
  withAddress(withJson(command)).action(async (options: AuditOptions & AddressOptions) => {
    if (await showAudit(addressed(options))) process.exitCode = 1;
  });
}

/** Prints an audit. @returns whether anything is inconsistent. @throws Error as `callEmulator` */
export async function showAudit(options: EmulatorAddress & AuditOptions): Promise<boolean> {
  const path = `/audit${queryOf({ region: options.region })}`;
  const { audit } = (await callEmulator(options, 'GET', path)) as {
    audit: { readonly count: number; readonly text: readonly string[] };
  };
  if (options.json) printJson(audit);
  else for (const line of audit.text) print(line);
  return audit.count > 0;
}
