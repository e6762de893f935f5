#!/usr/bin/env node
// The command line: start, exec, env, reset, region, fault, requests, snapshot, export, import.
import { Command, Help } from 'commander';
import {
  centralRegionOption,
  configFrom,
  controlTokenOption,
  journalLength,
  passwordOption,
  regionsOption,
  withAddressFlags,
  withServerFlags,
} from './config.ts';
import { latencyNames } from '../kernel/latency.ts';
import { packageVersion } from '../kernel/package-root.ts';
import {
  planFrom,
  withFaultFlags,
  type FaultOptions,
} from '../emulator/fault-injection/options.ts';
import {
  assertRequests,
  auditRequests,
  clearRequests,
  keepRequests,
  listRequests,
} from '../emulator/journal/commands.ts';
import {
  withClaimFlags,
  withMatchFlags,
  type ClaimOptions,
  type MatchOptions,
} from '../emulator/journal/options.ts';
import {
  addFault,
  addRegion,
  clearFaults,
  dropRegion,
  env,
  exec,
  listFaults,
  listRegions,
  originAt,
  reset,
  start,
  type Reach,
  type ResetOptions,
} from './commands.ts';
import { serviceDefinitions } from '../services/index.ts';
import {
  dropSnapshot,
  exportTo,
  importFrom,
  listSnapshots,
  restoreSnapshot,
  saveSnapshot,
  type ExportOptions,
} from '../emulator/snapshots/commands.ts';
import { endWorker } from './workers.ts';

const program = new Command('cumulet')
  .description('A small OpenStack that fits on a laptop.')
  .usage('[command] [flags]')
  .version(packageVersion())
  .enablePositionalOptions()
  .showHelpAfterError('(cumulet --help lists the commands and flags)')
  .addHelpText('after', () => `\n${flagsOfStart()}`);

const starting = withServerFlags(
  program.command('start').description('start the emulator (the default)'),
)
  .addHelpText(
    'after',
    () =>
      `\n${new Help().boxWrap(`--latency knows ${latencyNames(serviceDefinitions).join(', ')}.`, 80)}`,
  )
  .action((options: Record<string, unknown>) => start(configFrom(options)));

const execDefaults = { port: 0, database: 'memory:', logLevel: 'warn', journal: 1000 };
const executing = program
  .command('exec')
  .description('run a command against a fresh emulator in memory, and return its exit code');
withServerFlags(executing, execDefaults)
  .argument('<command...>', 'the command and its arguments, after --')
  .passThroughOptions()
  .action((command: string[], options: Record<string, unknown>) =>
    exec(configFrom(options), command),
  );

withAddressFlags(
  program
    .command('env')
    .description('print the OS_* variables for a running emulator: eval "$(cumulet env)"'),
)
  .option('--url <url>', 'where it listens, instead of --host and --port')
  .addOption(regionsOption())
  .addOption(centralRegionOption())
  .addOption(passwordOption())
  .action(({ url, ...options }: Record<string, unknown> & Address) =>
    env(configFrom(options), urlOf({ url, ...options })),
  );

const forRunning = (command: Command): Command =>
  withAddressFlags(command)
    .option('--url <url>', 'where it listens, instead of --host and --port')
    .addOption(controlTokenOption());
/** Options with the URL that they name. */
const reached = <T extends Address>(options: T): T & Reach => ({ ...options, url: urlOf(options) });

forRunning(program.command('reset').description('put a running emulator back to its first state'))
  .option('--region <name>', 'only this region')
  .option('--service <name>', 'only this service')
  .action((options: Omit<ResetOptions, 'url'> & Address) => reset(reached(options)));

const region = program
  .command('region')
  .description('list, add and drop the regions of a running emulator');
forRunning(region.command('list').description('one a line')).action((options: Address) =>
  listRegions(reached(options)),
);
forRunning(region.command('add').description('add a region'))
  .argument('<name>')
  .option('--from <region>', 'with all that this region holds now')
  .action((name: string, options: { from?: string } & Address) =>
    addRegion(name, reached(options)),
  );
forRunning(region.command('drop').description('drop a region with all that it holds'))
  .argument('<name>')
  .action((name: string, options: Address) => dropRegion(name, reached(options)));

const fault = program
  .command('fault')
  .description('let requests to a running emulator fail, come late, or lose their answer');
forRunning(withFaultFlags(fault.command('add').description('add a rule, and print its id'))).action(
  (options: FaultOptions & Address) => addFault(planFrom(options), reached(options)),
);
forRunning(
  fault.command('list').description('one a line, with how often each has matched and hit'),
).action((options: Address) => listFaults(reached(options)));
forRunning(fault.command('clear').description('take a rule away, or all'))
  .argument('[id]')
  .action((id: string | undefined, options: Address) => clearFaults(id, reached(options)));

const requests = program
  .command('requests')
  .description('what was asked of a running emulator that keeps a journal');
const asJson = '--json';
forRunning(
  withMatchFlags(
    requests.command('list', { isDefault: true }).description('one a line, the newest last'),
  ),
)
  .option('--limit <number>', 'the newest so many', '100')
  .option(asJson, 'all that is known of them')
  .action((options: MatchOptions & Address & { limit: string }) => listRequests(reached(options)));
forRunning(
  withClaimFlags(requests.command('assert').description('end with 1 where there were not as many')),
)
  .option(asJson, 'with the requests')
  .action((options: ClaimOptions & Address) => assertRequests(reached(options)));
forRunning(
  withMatchFlags(
    requests
      .command('versions')
      .description('which microversions clients asked for, and what to mind'),
  ),
)
  .option(asJson, 'all that is known')
  .action((options: MatchOptions & Address) => auditRequests(reached(options)));
forRunning(requests.command('keep').description('switch the journal on, or off with 0'))
  .argument('<number>', 'how many requests it keeps', journalLength)
  .action((keep: number, options: Address) => keepRequests(keep, reached(options)));
forRunning(requests.command('clear').description('empty the journal')).action((options: Address) =>
  clearRequests(reached(options)),
);

const snapshot = program
  .command('snapshot')
  .description('keep states of a running emulator by name, and go back to them');
forRunning(
  snapshot
    .command('save')
    .description('take one of all that there is, in the place of any that has the name'),
)
  .argument('<name>')
  .action((name: string, options: Address) => saveSnapshot(name, reached(options)));
forRunning(
  snapshot.command('restore').description('go back to one, with the regions and the time of then'),
)
  .argument('<name>')
  .action((name: string, options: Address) => restoreSnapshot(name, reached(options)));
forRunning(snapshot.command('list').description('one a line')).action((options: Address) =>
  listSnapshots(reached(options)),
);
forRunning(snapshot.command('drop').description('drop one'))
  .argument('<name>')
  .action((name: string, options: Address) => dropSnapshot(name, reached(options)));

forRunning(
  program
    .command('export')
    .description('write all that a running emulator holds to a file, with its keys'),
)
  .argument('[file]', 'standard output, where none is named')
  .option('--snapshot <name>', 'what this snapshot holds, instead of what is there now')
  .action((file: string | undefined, options: Omit<ExportOptions, 'url'> & Address) =>
    exportTo(file, reached(options)),
  );
forRunning(
  program.command('import').description('make a running emulator what a file of export says'),
)
  .argument('<file>', 'or - for standard input')
  .action((file: string, options: Address) => importFrom(file, reached(options)));

/** Where a running emulator is said to listen. */
interface Address {
  readonly host: string;
  readonly port: number;
  readonly url?: string | undefined;
}

function urlOf({ host, port, url = originAt(host, port) }: Address): string {
  return url;
}

/** The flags of `start`, which needs not be named. */
function flagsOfStart(): string {
  const help = new Help();
  const text = help.formatHelp(starting, help);
  return `Flags of start:\n${text.slice(text.indexOf('Options:') + 'Options:\n'.length)}`;
}

/**
 * The arguments with the command that flags alone stand for. A word that is no command is left, so
 * that it is refused with a suggestion.
 */
function withCommand([first, ...others]: readonly string[]): readonly string[] {
  const own = ['-h', '--help', '-V', '--version'];
  if (first === undefined || (first.startsWith('-') && !own.includes(first)))
    return ['start', ...(first === undefined ? [] : [first]), ...others];
  return [first, ...others];
}

try {
  await program.parseAsync(withCommand(process.argv.slice(2)), { from: 'user' });
} catch (error) {
  process.stderr.write(`cumulet: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
  endWorker();
}
