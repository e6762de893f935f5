// The command `cumulet replay`: plays a trace in copies of a running cloud, and compares them.
import type { Command } from 'commander';
import { eachShowingProgress } from '../../kernel/user/progress.ts';
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
import { comparisonCsv, comparisonLines, type ReplayView } from './report.ts';
import { readConfigurations, readTrace } from './trace.ts';

interface ReplayOptions extends JsonOption {
  readonly region?: string;
  readonly configurations?: string;
  readonly csv?: boolean;
}

/** Adds `cumulet replay`. */
export function addReplayCommand(program: Command): void {
  const command = program
    .command('replay')
    .description(
      'play arrivals of servers and leases in a copy of the cloud, for each of several ' +
        'configurations of the scheduler, and compare what is accepted',
    )
    .argument('<trace>', 'file with an arrival as JSON in each line')
    .option('--configurations <file>', 'YAML file with the configurations to compare')
    .option('--csv', 'print the comparison as CSV')
    .option('--region <region>', 'region; the first one by default');
  withAddress(withJson(command)).action((trace: string, options: ReplayOptions & AddressOptions) =>
    showReplay(trace, addressed(options)),
  );
}

/** Prints how a trace goes under each configuration. @throws Error as `callEmulator` */
export async function showReplay(
  trace: string,
  { region, configurations: file, csv, json, ...address }: EmulatorAddress & ReplayOptions,
): Promise<void> {
  const arrivals = readTrace(trace);
  const configurations = file === undefined ? [{}] : readConfigurations(file);
  const replays = await eachShowingProgress(
    'Replaying with configuration',
    configurations,
    async (configuration, progress) => {
      const body = { arrivals, configuration, ...(region === undefined ? {} : { region }) };
      const reply = await callEmulator({ ...address, progress }, 'POST', '/replay', body);
      return (reply as { replay: ReplayView }).replay;
    },
  );
  if (json) printJson(replays);
  else for (const line of (csv ? comparisonCsv : comparisonLines)(replays)) print(line);
}
