// Reports changes of the central region's resources to Tricircle, which repeats them in the pods
// that have copies. The report is a job in the transaction of the change, so it exists exactly if
// the change does. It runs before the reply, so that a client finds the change in the pods at once.
import { schedule } from '../../kernel/jobs/queue.ts';
import type { Call, Reply, Route } from '../../kernel/model.ts';
import type { AutoTopology } from './model.ts';
import { topologyOf } from './store/auto-topologies.ts';
import { ruleTable } from './store/tables.ts';
import type { NetworkVersion } from './versions.ts';

/** The kind of Tricircle's job, whose payload is a `Changed`. */
const followKind = 'tricircle.follow';

/** A resource that has changed or is gone. */
interface Changed {
  readonly type: string;
  readonly id: string;
}

/** The resource types by their collections in paths. */
const types: Readonly<Record<string, string>> = {
  networks: 'network',
  subnets: 'subnet',
  ports: 'port',
  routers: 'router',
  floatingips: 'floatingip',
  'security-groups': 'security_group',
};

/** The collection of topologies, whose networks and routers go with them. */
const topologies = 'auto-allocated-topology';

/** A route that reports what it changes in the central region. */
export function reporting(route: Route<NetworkVersion>): Route<NetworkVersion> {
  const [, , collection = ''] = route.path.split('/');
  const isReported =
    (collection in types && !/port_forwardings|conntrack_helpers/.test(route.path)) ||
    collection === 'security-group-rules' ||
    collection === topologies;
  if (route.method === 'GET' || !isReported) return route;
  return {
    ...route,
    runsJobs: (region) => region.isCentral,
    handler: async (call) => {
      if (!call.region.isCentral) return route.handler(call);
      const before = await changedByPath(call, collection);
      const reply = await route.handler(call);
      const after = route.path.endsWith('/remove_router_interface')
        ? [removedInterface(reply)]
        : changedByReply(collection, call.method, reply);
      for (const { type, id } of [...before, ...after])
        await schedule(call.db, {
          dueAt: call.now,
          kind: followKind,
          subject: `${type}:${id}`,
          payload: { type, id } satisfies Changed,
        });
      return reply;
    },
  };
}

/** The resource of the path; for a rule, its group, which is unknown once the rule is deleted. */
async function changedByPath({ db, params }: Call, collection: string): Promise<Changed[]> {
  if (collection === topologies) return partsOf(await topologyOf(db, params['project_id']!));
  const { id } = params;
  if (id === undefined) return [];
  const type = types[collection];
  if (type !== undefined) return [{ type, id }];
  const rule = await ruleTable.find(db, { id });
  return rule ? [{ type: 'security_group', id: rule.security_group_id }] : [];
}

const partsOf = (topology: AutoTopology | undefined): Changed[] =>
  topology
    ? [
        { type: 'network', id: topology.network_id },
        ...(topology.router_id === null ? [] : [{ type: 'router', id: topology.router_id }]),
      ]
    : [];

/**
 * The port of an interface that is gone. A pod may have carried the port without attaching it, and
 * then the change of the router does not remove it.
 */
const removedInterface = ({ body }: Reply): Changed => ({
  type: 'port',
  id: (body as { port_id: string }).port_id,
});

/**
 * The resources that creates change in pods: the groups of new rules, and new floating IPs. Pods
 * get other new resources when a server first uses them.
 */
function changedByReply(collection: string, method: string, { body }: Reply): Changed[] {
  if (method !== 'POST' || !['floatingips', 'security-group-rules'].includes(collection)) return [];
  const created = Object.values(body as Record<string, unknown>).flat() as {
    id: string;
    security_group_id?: string;
  }[];
  const changed = created.map(({ id, security_group_id: group }) =>
    group === undefined ? { type: 'floatingip', id } : { type: 'security_group', id: group },
  );
  return [...new Map(changed.map((one) => [one.id, one])).values()];
}
