// The commands `cumulet notifications list, follow, keep, clear`.
import type { Command } from 'commander';
import { argumentParser } from '../../kernel/command-line.ts';
import {
  addressed,
  callEmulator,
  fetchFromEmulator,
  print,
  withAddress,
  type AddressOptions,
  type EmulatorAddress,
} from '../client.ts';
import { notificationCount } from './settings.ts';

/** The options of a filter as commander parses them. */
interface FilterOptions {
  readonly region?: string;
  readonly service?: string;
  readonly eventType?: string;
  readonly project?: string;
  readonly request?: string;
}

/** A notification as the emulator shows it. */
interface ShownNotification {
  readonly id: number;
  readonly timestamp: string;
  readonly priority: string;
  readonly event_type: string;
  readonly publisher_id: string;
  readonly project_id: string | null;
}

/** Adds `cumulet notifications`. */
export function addNotificationCommands(program: Command): void {
  const notifications = program
    .command('notifications')
    .description('list and follow what the services of a running emulator publish');
  withAddress(
    withFilter(
      notifications
        .command('list', { isDefault: true })
        .description('list the notifications of a region, the newest last'),
    )
      .option('--limit <number>', 'list at most this many, the newest ones', '100')
      .option('--json', 'print whole notifications as JSON'),
  ).action((options: FilterOptions & AddressOptions & { limit: string; json?: boolean }) =>
    listNotifications(addressed(options)),
  );
  withAddress(
    withFilter(
      notifications
        .command('follow')
        .description('print the notifications of a region as they come, as lines of JSON'),
    ),
  ).action((options: FilterOptions & AddressOptions) => followNotifications(addressed(options)));
  withAddress(
    notifications
      .command('keep')
      .description('set how many notifications each region keeps; 0 switches it off')
      .argument(
        '<number>',
        'number of notifications to keep',
        argumentParser((text) => notificationCount(text)),
      ),
  ).action(async (keep: number, options: AddressOptions) => {
    await callEmulator(addressed(options), 'PUT', '/notifications', { keep });
  });
  withAddress(notifications.command('clear').description('delete the kept notifications')).action(
    async (options: AddressOptions) => {
      await callEmulator(addressed(options), 'DELETE', '/notifications');
    },
  );
}

const withFilter = (command: Command): Command =>
  command
    .option('--region <name>', 'notifications of this region')
    .option('--service <name>', 'notifications of this service, such as compute')
    .option('--event-type <type>', 'notifications of this type; a * at the end matches any rest')
    .option('--project <id>', 'notifications that this project has caused')
    .option('--request <id>', 'notifications of the request with this id');

/** Prints the newest notifications, one on each line. @throws Error as `callEmulator` */
async function listNotifications({
  limit,
  json,
  ...options
}: FilterOptions & EmulatorAddress & { limit: string; json?: boolean }): Promise<void> {
  const { notifications } = (await callEmulator(
    options,
    'GET',
    `/notifications${queryOf(options, limit)}`,
  )) as { notifications: ShownNotification[] };
  if (json) return print(JSON.stringify(notifications, null, 2));
  for (const one of notifications)
    print(
      [one.id, one.timestamp, one.priority, one.event_type, one.publisher_id, one.project_id].join(
        '  ',
      ),
    );
}

/** Prints notifications until the emulator stops. @throws Error as `callEmulator` */
async function followNotifications(options: FilterOptions & EmulatorAddress): Promise<void> {
  const response = await fetchFromEmulator(options, `/notifications/stream${queryOf(options)}`, {});
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body!) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line.startsWith('data: ')) print(line.slice('data: '.length));
  }
}

function queryOf(options: FilterOptions, limit?: string): string {
  const { region, service, eventType, project, request } = options;
  const values = { region, service, event_type: eventType, project, request, limit };
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value) query.set(name, value);
  return query.size ? `?${query.toString()}` : '';
}
