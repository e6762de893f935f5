// The command `cumulet pods drain`.
import type { Command } from 'commander';
import { setTimeout as pause } from 'node:timers/promises';
import {
  addressed,
  callEmulator,
  print,
  withAddress,
  type AddressOptions,
  type EmulatorAddress,
} from '../emulator/client.ts';
import { counted } from '../kernel/user/sentences.ts';

/** How to drain a pod. */
interface DrainOptions {
  readonly to?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Adds `cumulet pods`. */
export function addPodsCommands(program: Command): void {
  const pods = program.command('pods').description('maintain the pods of a running emulator');
  withAddress(
    pods
      .command('drain')
      .description('put a pod under maintenance, and move its servers and volumes to other pods')
      .argument('<pod>', 'region of the pod')
      .option(
        '--to <pod>',
        'region of the pod to move to, instead of those that tenants are bound to',
      )
      .option('--dry-run', 'only print what would move, and what would not')
      .option('--json', 'print the migration as JSON at the end'),
  ).action(async (pod: string, options: DrainOptions & AddressOptions) => {
    const isDrained = await drainPod(pod, addressed(options));
    if (!isDrained) process.exitCode = 1;
  });
}

interface Resource {
  readonly resource_type: string;
  readonly id: string;
  readonly name: string;
  readonly size: Readonly<Record<string, number>>;
}

interface Move {
  readonly id?: string;
  readonly status?: string;
  readonly error?: string | null;
  readonly source_region: string;
  readonly target_region: string;
  readonly resources: readonly Resource[];
}

interface Migration {
  readonly id: string | null;
  readonly status: string;
  readonly finished_at?: string | null;
  readonly totals: Readonly<Record<string, number>>;
  readonly moves: readonly Move[];
  readonly refused: readonly (Resource & { readonly region: string; readonly reason: string })[];
}

/** How often the progress is polled, in milliseconds. */
const pollInterval = 250;

/**
 * Drains a pod, and prints the plan and the progress.
 * @returns whether everything has moved, or would
 * @throws Error as `callEmulator`, and if the clock is frozen
 */
export async function drainPod(
  pod: string,
  { to, dryRun = false, json = false, ...address }: EmulatorAddress & DrainOptions,
): Promise<boolean> {
  if (!dryRun) await requireRunningClock(address);
  const path = `/pods/${encodeURIComponent(pod)}/drain`;
  const body = { target: to, dry_run: dryRun };
  const started = (await callEmulator(address, 'POST', path, body)) as Migration;
  if (!json) printPlan(started);
  const ended = dryRun ? started : await follow(started, address, json);
  if (json) print(JSON.stringify(ended, null, 2));
  return ended.refused.length === 0 && ['PLANNED', 'SUCCESS'].includes(ended.status);
}

/** Steps follow the emulated clock: without it, a drain would never end. */
async function requireRunningClock(address: EmulatorAddress): Promise<void> {
  const { frozen } = (await callEmulator(address, 'GET', '/clock')) as { frozen: boolean };
  if (frozen)
    throw new Error(
      "The emulator's clock is frozen, so nothing would move. Unfreeze it with PUT " +
        '/_emulator/clock {"frozen": false}, or start the migration with Tricircle\'s API.',
    );
}

/** Prints the end of each move. @returns the migration at its end */
async function follow(
  started: Migration,
  address: EmulatorAddress,
  isQuiet: boolean,
): Promise<Migration> {
  const printed = new Set<string>();
  for (let current = started; ;) {
    for (const move of current.moves)
      if (!isQuiet && isEnded(move) && !printed.has(move.id!)) {
        printed.add(move.id!);
        print(`${printed.size} of ${current.moves.length}: ${resultOf(move)}`);
      }
    if (current.finished_at != null) return current;
    await pause(pollInterval);
    const path = `/migrations/${encodeURIComponent(current.id!)}`;
    current = (await callEmulator(address, 'GET', path)) as Migration;
  }
}

const isEnded = ({ status }: Move): boolean => status === 'MOVED' || status === 'UNDONE';

function resultOf({ status, error, target_region: target, resources }: Move): string {
  const names = resources.map((resource) => nameOf(resource)).join(', ');
  return status === 'MOVED'
    ? `${names} moved to ${target}`
    : `${names} not moved${error ? `: ${error}` : ''}`;
}

const nameOf = ({ resource_type: type, name, id }: Resource): string =>
  `${type.replace('_', ' ')} ${name || id}`;

/** The units of sizes. */
const units: Readonly<Record<string, string>> = {
  vcpus: 'vCPU',
  memory_mb: 'MB of memory',
  disk_gb: 'GB of disk',
  volume_gb: 'GB of volumes',
};

const sizeOf = (size: Readonly<Record<string, number>>): string =>
  Object.entries(units)
    .flatMap(([name, unit]) => (size[name] ? [`${size[name]} ${unit}`] : []))
    .join(', ');

function printPlan({ moves, refused, totals }: Migration): void {
  for (const { source_region: source, target_region: target, resources } of moves)
    for (const resource of resources) {
      const size = sizeOf(resource.size);
      print(`${source} -> ${target}  ${nameOf(resource)}${size && `: ${size}`}`);
    }
  for (const resource of refused)
    print(`stays in ${resource.region}  ${nameOf(resource)}: ${resource.reason}`);
  const { servers = 0, volumes = 0 } = totals;
  const size = sizeOf(totals);
  const counts = `${counted(servers, 'server')}, ${counted(volumes, 'volume')}`;
  print(`${counts}${size && `: ${size}`}`);
}
