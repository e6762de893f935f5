// The command `cumulet capacity`: counts how many more servers, nodes, leases or candidates
// fit.
import { Option, type Command } from 'commander';
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

interface CapacityOptions extends JsonOption {
  readonly flavor?: string;
  readonly image?: string;
  readonly zone?: string;
  readonly group?: string;
  readonly groupPolicy?: string;
  readonly maxServerPerHost?: string;
  readonly project?: string;
  readonly profile?: string;
  readonly hosts?: string;
  readonly instances?: string;
  readonly vcpus?: string;
  readonly memoryMb?: string;
  readonly diskGb?: string;
  readonly affinity?: string;
  readonly properties?: string;
  readonly start?: string;
  readonly for?: string;
  readonly microversion?: string;
  readonly region?: string;
  readonly until?: string;
}

/** Adds `cumulet capacity`. */
export function addCapacityCommand(program: Command): void {
  const command = program
    .command('capacity')
    .description(
      'count how many more servers, nodes, leases or candidates fit, and what runs out first',
    )
    .argument('[query]', "query of allocation candidates, such as 'resources=VCPU:4'")
    .option('--flavor <flavor>', 'count servers of this flavor (id or name)')
    .option('--image <image>', 'image of the servers, whose properties can require traits')
    .option('--zone <zone>', 'availability zone of the servers')
    .option('--group <id>', 'server group that the servers join')
    .addOption(
      new Option('--group-policy <policy>', 'policy of a new server group').choices([
        'affinity',
        'anti-affinity',
        'soft-affinity',
        'soft-anti-affinity',
      ]),
    )
    .option('--max-server-per-host <number>', 'rule of a new group with anti-affinity')
    .option('--project <id>', 'project of the servers, for aggregates that only some may use')
    .option('--profile <profile>', 'count nodes of this profile of Clustering (id or name)')
    .option('--hosts <number>', 'count leases of so many whole hosts')
    .option('--instances <number>', 'count leases of so many instances of the flavor or size')
    .option('--vcpus <number>', 'VCPUs of a reserved instance')
    .option('--memory-mb <number>', 'memory of a reserved instance')
    .option('--disk-gb <number>', 'disk of a reserved instance; 0 by default')
    .addOption(
      new Option('--affinity <value>', 'whether the instances of a lease are on one host').choices([
        'true',
        'false',
      ]),
    )
    .option('--properties <expression>', 'requirements of leases on hosts')
    .option('--start <time>', 'when the leases start: now (the default), +2d, or a time')
    .option('--for <duration>', 'how long the leases last; 24h by default')
    .option('--microversion <version>', 'microversion of the query; the newest by default')
    .option('--region <region>', 'region; the first one by default')
    .option('--until <time>', 'count after each start and end of a lease, too, up to this time');
  withAddress(withJson(command)).action(
    (query: string | undefined, options: CapacityOptions & AddressOptions) =>
      showCapacity(query, addressed(options)),
  );
}

/**
 * Prints how many more servers, nodes or leases fit, or how often a query is served.
 * @throws Error unless exactly one of them is named; Error as `callEmulator`
 */
export async function showCapacity(
  query: string | undefined,
  options: EmulatorAddress & CapacityOptions,
): Promise<void> {
  const { microversion, region, until } = options;
  const { kind, parameters } = questionOf(query, options);
  if (microversion !== undefined && (kind !== 'candidates' || until !== undefined))
    throw new Error('--microversion needs a query, and cannot be combined with --until.');
  const asked = queryOf({ ...parameters, microversion, region, until });
  if (until !== undefined) return showLines(options, `/capacity/timeline${asked}`, 'timeline');
  return showLines(options, `/capacity/${kind}${asked}`, 'capacity');
}

interface CapacityQuestion {
  readonly kind: 'servers' | 'nodes' | 'leases' | 'candidates';
  readonly parameters: Readonly<Record<string, string | undefined>>;
}

/** What is counted. @throws Error unless it is one thing, and for options of another */
function questionOf(query: string | undefined, options: CapacityOptions): CapacityQuestion {
  const { flavor, profile, hosts, instances } = options;
  const ofServers = {
    image: options.image,
    zone: options.zone,
    group: options.group,
    group_policy: options.groupPolicy,
    max_server_per_host: options.maxServerPerHost,
    project: options.project,
  };
  const ofLeases = {
    vcpus: options.vcpus,
    memory_mb: options.memoryMb,
    disk_gb: options.diskGb,
    affinity: options.affinity,
    properties: options.properties,
    start: options.start,
    for: options.for,
  };
  const isOfLeases = hosts !== undefined || instances !== undefined;
  if (
    [query, profile, isOfLeases ? 'leases' : flavor].filter((one) => one !== undefined).length !== 1
  )
    throw new Error(
      'Give either --flavor, --profile, the --hosts or --instances of leases, or a query such as ' +
        "'resources=VCPU:4'.",
    );
  if ((query !== undefined || profile !== undefined || isOfLeases) && isAnyGiven(ofServers))
    throw new Error('Only servers have an image, zone, group or project: these need --flavor.');
  if (!isOfLeases && isAnyGiven(ofLeases))
    throw new Error('Sizes, requirements and dates of leases need --hosts or --instances.');
  if (query !== undefined) return { kind: 'candidates', parameters: { query } };
  if (profile !== undefined) return { kind: 'nodes', parameters: { profile } };
  if (isOfLeases) return { kind: 'leases', parameters: { hosts, instances, flavor, ...ofLeases } };
  return { kind: 'servers', parameters: { flavor, ...ofServers } };
}

const isAnyGiven = (options: object): boolean =>
  Object.values(options).some((value) => value !== undefined);

/** Prints what a reply has under a key. */
async function showLines(
  options: EmulatorAddress & CapacityOptions,
  path: string,
  key: 'capacity' | 'timeline',
): Promise<void> {
  const reply = (await callEmulator(options, 'GET', path)) as Readonly<
    Record<typeof key, { readonly text: readonly string[] }>
  >;
  if (options.json) printJson(reply[key]);
  else for (const line of reply[key].text) print(line);
}
