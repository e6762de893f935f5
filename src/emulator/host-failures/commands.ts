// The command `cumulet n-plus-1`: which hosts, zones or aggregates may fail.
import { Option, type Command } from 'commander';
import { eachShowingProgress } from '../../kernel/user/progress.ts';
import { counted } from '../../kernel/user/sentences.ts';
import { tableLines } from '../../kernel/user/table.ts';
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
import { failureKinds, type Displaced, type FailureDomain, type FailureKind } from './model.ts';

interface FailureOptions extends JsonOption {
  readonly kind: FailureKind;
  readonly region?: string;
}

/** The rehearsal of a failure, as the API returns it. */
interface Failure extends FailureDomain {
  readonly survives: boolean;
  readonly displaced: readonly Displaced[];
  readonly text: readonly string[];
}

/** Adds `cumulet n-plus-1`. */
export function addFailureCommand(program: Command): void {
  const command = program
    .command('n-plus-1')
    .description(
      'rehearse the failure of each host: whether its servers and reservations find a place on ' +
        'others; exits with 1 if not',
    )
    .argument('[names...]', 'hosts, zones or aggregates; all by default')
    .addOption(
      new Option('--kind <kind>', 'what fails as a whole').choices(failureKinds).default('host'),
    )
    .option('--region <region>', 'region; the first one by default');
  withAddress(withJson(command)).action(
    async (names: readonly string[], options: FailureOptions & AddressOptions) => {
      if (!(await showFailures(names, addressed(options)))) process.exitCode = 1;
    },
  );
}

/**
 * Rehearses failures one at a time, and prints what each of them leads to.
 * @returns whether everything finds a place in each of them
 * @throws Error as `callEmulator`
 */
export async function showFailures(
  names: readonly string[],
  options: EmulatorAddress & FailureOptions,
): Promise<boolean> {
  const { kind, region, json } = options;
  const path = `/host-failures/${kind}`;
  const get = (below: string, address: EmulatorAddress = options): Promise<unknown> =>
    callEmulator(address, 'GET', path + below + queryOf({ region }));
  const { domains } = (await get('')) as { domains: readonly FailureDomain[] };
  const wanted = names.length ? names : domains.map(({ name }) => name);
  const failures = await eachShowingProgress(
    `Rehearsing the failure of ${kind}`,
    wanted,
    async (name, progress) => {
      const reply = await get(`/${encodeURIComponent(name)}`, { ...options, progress });
      return (reply as { failure: Failure }).failure;
    },
  );
  if (json) printJson(failures);
  else for (const line of reportOf(kind, failures)) print(line);
  return failures.every(({ survives }) => survives);
}

function reportOf(kind: FailureKind, failures: readonly Failure[]): string[] {
  if (!failures.length) return [`There is no ${kind}.`];
  const surviving = failures.filter(({ survives }) => survives).length;
  const bad = failures.filter(({ survives }) => !survives);
  const rows = failures.map(({ name, hosts, displaced }) => {
    const lost = displaced.flatMap((one) => one.lost);
    const count = (noun: string): string => {
      const part = displaced.find((one) => one.noun === noun);
      return String((part?.moved.length ?? 0) + (part?.lost.length ?? 0));
    };
    return [
      name,
      ...(kind === 'host' ? [] : [String(hosts.length)]),
      count('servers'),
      count('reservations'),
      String(lost.length),
    ];
  });
  const titles = [
    kind.toUpperCase(),
    ...(kind === 'host' ? [] : ['HOSTS']),
    'SERVERS',
    'RESERVATIONS',
    'WITHOUT A PLACE',
  ];
  return [
    `${surviving} of ${counted(failures.length, kind)} may fail, one at a time.`,
    '',
    ...tableLines(titles, rows),
    ...bad.flatMap(({ text }) => ['', ...text]),
  ];
}
