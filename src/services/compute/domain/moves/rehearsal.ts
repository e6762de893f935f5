// Rehearses the failure of hosts: evacuates their servers, in the order of their creation.
import type { Explanation } from '../../../../emulator/explain/model.ts';
import type {
  Displaced,
  FailureDomain,
  FailureKind,
  Lost,
  Moved,
} from '../../../../emulator/host-failures/model.ts';
import { groupedValues } from '../../../../kernel/db/grouping.ts';
import { attempt } from '../../../../kernel/context.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Server } from '../../model.ts';
import { listHosts } from '../../store/hosts/server-hosts.ts';
import { serversOnHosts, updateServer } from '../../store/servers/servers.ts';
import { findHost, requestSpecOf } from '../scheduler/scheduling.ts';
import { evacuation } from './requests.ts';
import { requireState } from '../servers/checks.ts';

/** Lists the hosts of a region, its zones, or its aggregates. */
export async function failureDomains(
  { db }: Context,
  kind: FailureKind,
): Promise<readonly FailureDomain[]> {
  const hosts = await listHosts(db);
  const pairs = hosts.flatMap(({ host, zone, aggregates }) => {
    const names = { host: [host], zone: [zone], aggregate: aggregates.map(({ name }) => name) };
    return names[kind].map((name) => ({ name, host }));
  });
  const byName = groupedValues(
    pairs,
    ({ name }) => name,
    ({ host }) => host,
  );
  return [...byName].map(([name, own]) => ({ kind, name, hosts: [...new Set(own)] }));
}

/** Evacuates the servers on failed hosts, as an operator would with each of them. */
export async function rehearseFailure(
  context: Context,
  hosts: readonly string[],
  explanations: readonly Explanation[],
): Promise<Displaced> {
  const moved: Moved[] = [];
  const lost: Lost[] = [];
  for (const server of await serversOnHosts(context.db, hosts)) {
    const { uuid: id, name } = server;
    const tried = await attempt(context, (inner) => evacuateTo(inner, server, hosts));
    if ('value' in tried) moved.push({ id, name, to: [tried.value] });
    else lost.push({ id, name, reason: reasonOf(tried.error, id, explanations) });
  }
  return { noun: 'servers', moved, lost };
}

/** Moves a server, which keeps its allocations on the failed host. @returns the new host */
async function evacuateTo(
  context: Context,
  server: Server,
  failed: readonly string[],
): Promise<string> {
  requireState(context, server, evacuation);
  const { db, now } = context;
  const spec = await requestSpecOf(context, server, { ignoredHosts: failed, currentHost: null });
  const { host, node, zone } = await findHost(context, server, spec, server.uuid);
  await updateServer(db, server, { host, node, zone }, now);
  return host;
}

/** Why a server was not moved: the explanation of the scheduler, or the refusal. */
const reasonOf = (error: Error, server: string, explanations: readonly Explanation[]): string =>
  explanations.findLast(({ subject }) => subject === server)?.summary ?? error.message;
