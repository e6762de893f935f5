// The commands `cumulet requests list, assert, versions, keep, clear`.
import type { Command } from 'commander';
import { argumentParser } from '../../kernel/command-line.ts';
import {
  addressed,
  callEmulator,
  print,
  queryOf,
  withAddress,
  type AddressOptions,
  type EmulatorAddress,
} from '../client.ts';
import {
  assertionFrom,
  matchFrom,
  withAssertionOptions,
  withMatchOptions,
  type AssertionOptions,
  type MatchOptions,
} from './options.ts';
import { journalLength } from './settings.ts';
import type { JournalEntry } from './model.ts';
import type { AuditedClient, AuditedOperation } from '../version-audit/model.ts';

/** Adds `cumulet requests`. */
export function addRequestsCommands(program: Command): void {
  const requests = program
    .command('requests')
    .description('list and assert the requests in the journal of a running emulator');
  withAddress(
    withMatchOptions(
      requests
        .command('list', { isDefault: true })
        .description('list recorded requests, the newest last'),
    )
      .option('--limit <number>', 'list at most this many, the newest ones', '100')
      .option('--json', 'print every recorded field as JSON'),
  ).action((options: MatchOptions & AddressOptions & { limit: string }) =>
    listRequests(addressed(options)),
  );
  withAddress(
    withAssertionOptions(
      requests
        .command('assert')
        .description('check how many requests were sent; exits with 1 if the number differs'),
    ).option('--json', 'print the matching requests as JSON'),
  ).action((options: AssertionOptions & AddressOptions) => assertRequests(addressed(options)));
  withAddress(
    withMatchOptions(
      requests
        .command('versions')
        .description('show the microversions that clients requested, and what newer ones change'),
    ).option('--json', 'print every detail as JSON'),
  ).action((options: MatchOptions & AddressOptions) => auditRequests(addressed(options)));
  withAddress(
    requests
      .command('keep')
      .description('set how many requests the journal keeps; 0 switches it off')
      .argument(
        '<number>',
        'number of requests to keep',
        argumentParser((text) => journalLength(text)),
      ),
  ).action((keep: number, options: AddressOptions) => keepRequests(keep, addressed(options)));
  withAddress(requests.command('clear').description('delete all recorded requests')).action(
    (options: AddressOptions) => clearRequests(addressed(options)),
  );
}

/** A request as the emulator shows it. */
interface ShownEntry extends Omit<JournalEntry, 'time' | 'machine_time'> {
  readonly id: number;
  readonly time: string;
  readonly machine_time: string;
}

/** The format of the output. */
interface Printed {
  readonly json?: boolean;
}

/** Prints recorded requests, one on each line. @throws Error as `callEmulator` */
export async function listRequests({
  limit,
  json,
  ...options
}: MatchOptions & EmulatorAddress & Printed & { limit: string }): Promise<void> {
  const answer = (await callEmulator(
    options,
    'GET',
    `/requests${queryOf({ ...matchFrom(options), limit })}`,
  )) as {
    requests: ShownEntry[];
  };
  if (json) return print(JSON.stringify(answer.requests, null, 2));
  for (const entry of answer.requests) print(lineOf(entry));
}

/** Checks an assertion. @throws Error with the expected and the actual requests if it fails */
export async function assertRequests({
  json,
  ...options
}: AssertionOptions & EmulatorAddress & Printed): Promise<void> {
  const answer = (await callEmulator(
    options,
    'POST',
    '/requests/assert',
    assertionFrom(options),
  )) as {
    message: string;
  };
  print(json ? JSON.stringify(answer, null, 2) : answer.message);
}

/**
 * Prints the microversion audit: a paragraph for each client of each service.
 * @throws Error as `callEmulator`
 */
export async function auditRequests({
  json,
  ...options
}: MatchOptions & EmulatorAddress & Printed): Promise<void> {
  const answer = (await callEmulator(
    options,
    'GET',
    `/requests/versions${queryOf(matchFrom(options))}`,
  )) as {
    clients: AuditedClient[];
  };
  if (json) return print(JSON.stringify(answer.clients, null, 2));
  for (const client of answer.clients) for (const line of linesOf(client)) print(line);
}

/** Sets how many requests the journal keeps. @throws Error as `callEmulator` */
export async function keepRequests(keep: number, address: EmulatorAddress): Promise<void> {
  await callEmulator(address, 'PUT', '/requests', { keep });
}

/** Deletes all recorded requests. @throws Error as `callEmulator` */
export async function clearRequests(address: EmulatorAddress): Promise<void> {
  await callEmulator(address, 'DELETE', '/requests');
}

/** `17 12:00:00.123 POST /compute/v2.1/servers 202 servers:create 2.1 admin@demo 12.3ms`. */
function lineOf(entry: ShownEntry): string {
  const {
    id,
    machine_time: time,
    method,
    prefix,
    path,
    query,
    status,
    operation,
    action,
    version,
    duration_ms: ms,
  } = entry;
  const {
    user_name: user,
    user_id: userId,
    project_name: project,
    project_id: projectId,
    version_asked: asked,
  } = entry;
  const who = user ?? userId;
  return [
    id,
    time.slice(11, 23),
    method,
    `${prefix}${path}${query && `?${query}`}`,
    status ?? 'dropped',
    action ?? operation ?? '-',
    version === null ? '-' : `${version}${asked === null ? '' : ` (${asked})`}`,
    who === null ? '-' : `${who}@${project ?? projectId ?? ''}`,
    `${ms}ms`,
    ...(entry.inside ? ['inside'] : []),
    ...entry.fault_rules.map((rule) => `fault ${rule}`),
  ].join('  ');
}

function linesOf(client: AuditedClient): string[] {
  const {
    service,
    user_agent: agent,
    requests,
    unversioned,
    versions,
    unchanged,
    min_version: min,
    max_version: max,
  } = client;
  const counts = versions.map(
    ({ asked, used, requests: times }) =>
      `${asked ?? 'none'}${used === null ? ' (refused)' : ''} x${times}`,
  );
  const same = unchanged ? [`  ${unchanged} more would be the same at ${max}.`] : [];
  return [
    `${service}  ${agent ?? 'no user agent'}  ${requests} ` +
      `request${requests === 1 ? '' : 's'}, asked for ${counts.join(', ')}`,
    ...(unversioned ? [`  ${unversioned} named no version, and got ${min}: send one.`] : []),
    ...client.operations.map((operation) => operationLine(operation, max)),
    ...same,
  ];
}

/**
 * `servers:create at 2.1 x3: at 2.102 it takes server.description, and no longer
 * server.personality; see 2.19, 2.57`.
 */
function operationLine(
  { operation, action, version, requests, latest, changes, request, response }: AuditedOperation,
  max: string,
): string {
  const what = `  ${action ?? operation} at ${version} x${requests}:`;
  if (latest === 'gone')
    return `${what} gone since ${changes.at(-1)?.version ?? max} (${changes.at(-1)?.summary ?? ''})`;
  if (latest === 'added')
    return (
      `${what} not there, but since ${changes[0]?.version ?? max} ` +
      `(${changes[0]?.summary ?? ''})`
    );
  const parts = [
    phrase('takes', request.added),
    phrase('no longer takes', request.removed),
    phrase('answers', response.added),
    phrase('no longer answers', response.removed),
  ].filter(Boolean);
  return (
    `${what} at ${max} it ${parts.length ? parts.join(', ') : 'is otherwise'}; see ` +
    changes.map((one) => one.version).join(', ')
  );
}

/** How many names a line has. */
const mostNames = 6;

const phrase = (verb: string, names: readonly string[]): string =>
  names.length
    ? `${verb} ` +
      `${names.slice(0, mostNames).join(', ')}${names.length > mostNames ? ` and ${names.length - mostNames} more` : ''}`
    : '';
