// The commands on the journal of a running emulator: list, assert, versions, keep, clear.
import { control, type Reach } from '../../cli/commands.ts';
import { claimFrom, matchFrom, type ClaimOptions, type MatchOptions } from './options.ts';
import type { JournalEntry } from './model.ts';
import type { AuditedClient, AuditedOperation } from '../version-audit/model.ts';

/** A request as the emulator shows it. */
interface ShownEntry extends Omit<JournalEntry, 'time' | 'machine_time'> {
  readonly id: number;
  readonly time: string;
  readonly machine_time: string;
}

/** How it is printed. */
interface Printed {
  readonly json?: boolean;
}

/** Prints the requests, one a line. @throws Error as `reset` of commands.ts */
export async function listRequests({
  limit,
  json,
  ...options
}: MatchOptions & Reach & Printed & { limit: string }): Promise<void> {
  const answer = (await control(
    options,
    'GET',
    `/requests${queryOf({ ...matchFrom(options), limit })}`,
  )) as {
    requests: ShownEntry[];
  };
  if (json) return print(JSON.stringify(answer.requests, null, 2));
  for (const entry of answer.requests) print(lineOf(entry));
}

/** Prints what holds. @throws Error with what was expected and what was found where it does not */
export async function assertRequests({
  json,
  ...options
}: ClaimOptions & Reach & Printed): Promise<void> {
  const answer = (await control(options, 'POST', '/requests/assert', claimFrom(options))) as {
    message: string;
  };
  print(json ? JSON.stringify(answer, null, 2) : answer.message);
}

/**
 * Prints the microversion audit: a paragraph for each client of each service.
 * @throws Error as `reset` of commands.ts
 */
export async function auditRequests({
  json,
  ...options
}: MatchOptions & Reach & Printed): Promise<void> {
  const answer = (await control(
    options,
    'GET',
    `/requests/versions${queryOf(matchFrom(options))}`,
  )) as {
    clients: AuditedClient[];
  };
  if (json) return print(JSON.stringify(answer.clients, null, 2));
  for (const client of answer.clients) for (const line of linesOf(client)) print(line);
}

/** Has the emulator keep so many requests. @throws Error as `reset` of commands.ts */
export async function keepRequests(keep: number, reach: Reach): Promise<void> {
  await control(reach, 'PUT', '/requests', { keep });
}

/** Empties the journal. @throws Error as `reset` of commands.ts */
export async function clearRequests(reach: Reach): Promise<void> {
  await control(reach, 'DELETE', '/requests');
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

function queryOf(values: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values) as [string, unknown][])
    if (value !== undefined) query.set(name, String(value));
  return query.size ? `?${query.toString()}` : '';
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
    `${service}  ${agent ?? 'no user agent'}  ${requests} request${requests === 1 ? '' : 's'}, asked for ${counts.join(', ')}`,
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
    return `${what} not there, but since ${changes[0]?.version ?? max} (${changes[0]?.summary ?? ''})`;
  const parts = [
    told('takes', request.added),
    told('no longer takes', request.removed),
    told('answers', response.added),
    told('no longer answers', response.removed),
  ].filter(Boolean);
  return `${what} at ${max} it ${parts.length ? parts.join(', ') : 'is otherwise'}; see ${changes.map((one) => one.version).join(', ')}`;
}

/** How many names a line has. */
const mostNames = 6;

const told = (verb: string, names: readonly string[]): string =>
  names.length
    ? `${verb} ${names.slice(0, mostNames).join(', ')}${names.length > mostNames ? ` and ${names.length - mostNames} more` : ''}`
    : '';
