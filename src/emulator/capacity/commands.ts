// The command `cumulet capacity`: counts how many more servers or candidates fit.
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
  readonly microversion?: string;
  readonly region?: string;
  readonly until?: string;
}

/** Adds `cumulet capacity`. */
export function addCapacityCommand(program: Command): void {
  const command = program
    .command('capacity')
    .description(
      'count how many more servers or allocation candidates fit, and what runs out first',
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
    .option('--microversion <version>', 'microversion of the query; the newest by default')
    .option('--region <region>', 'region; the first one by default')
    .option('--until <time>', 'count after each start and end of a lease, too, up to this time');
  withAddress(withJson(command)).action(
    (query: string | undefined, options: CapacityOptions & AddressOptions) =>
      showCapacity(query, addressed(options)),
  );
}

/**
 * Prints how many more servers of a flavor fit, or how often a query is served.
 * @throws Error unless either a flavor or a query is given; Error as `callEmulator`
 */
export async function showCapacity(
  query: string | undefined,
  options: EmulatorAddress & CapacityOptions,
): Promise<void> {
  const { flavor, image, zone, group, project, microversion, region, until } = options;
  if ((query === undefined) === (flavor === undefined))
    throw new Error("Give either --flavor, or a query such as 'resources=VCPU:4'.");
  const ofServers = {
    image,
    zone,
    group,
    group_policy: options.groupPolicy,
    max_server_per_host: options.maxServerPerHost,
    project,
  };
  if (query !== undefined && Object.values(ofServers).some((value) => value !== undefined))
    throw new Error('A query has no image, zone, group or project: these need --flavor.');
  if (flavor !== undefined && microversion !== undefined)
    throw new Error('--microversion needs a query.');
  if (until !== undefined) {
    const path = `/capacity/timeline${queryOf({ query, flavor, ...ofServers, region, until })}`;
    return showLines(options, path, 'timeline');
  }
  const path =
    flavor === undefined
      ? `/capacity/candidates${queryOf({ query, microversion, region })}`
      : `/capacity/servers${queryOf({ flavor, ...ofServers, region })}`;
  return showLines(options, path, 'capacity');
}

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
