// Handlers for the capacity of all pods: hypervisor statistics, and the pools of storage. The
// parameter `availability_zone` limits both to the pods of a zone.
import { ok } from '../../../kernel/http/reply.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { GatewayCall, Json } from '../call.ts';
import { readVolumeType } from '../clients/centre.ts';
import { isSuccess, type ServiceReply } from '../clients/message.ts';
import { leaveOut, requestFromPod } from '../clients/pods.ts';
import { podsInZone, type Pod } from '../clients/tricircle.ts';
import { replyOf } from '../views/replies.ts';

/** The requested pods with their replies. A pod that is not in the catalog is left out. */
async function readInZone(
  call: GatewayCall,
  query: string,
): Promise<{ pod: Pod; reply: ServiceReply }[]> {
  const pods = await podsInZone(call, call.query.last('availability_zone'));
  const replies = await Promise.all(
    pods.map(async (pod) => {
      const reply = await requestFromPod(call, pod, { query }).catch(leaveOut);
      return reply ? [{ pod, reply }] : [];
    }),
  );
  return replies.flat();
}

/** GET /os-hypervisors/statistics: the sums over the hypervisors of the pods. */
export async function hypervisorStatistics(call: GatewayCall): Promise<Reply> {
  const replies = (await readInZone(call, '')).map(({ reply }) => reply);
  const refusal = replies.find((reply) => !isSuccess(reply));
  if (refusal) return replyOf(refusal);
  const all = replies.map(({ body }) => (body as Statistics).hypervisor_statistics);
  const sums = statisticsFields.map((name) => [
    name,
    all.reduce((sum, one) => sum + (one[name] ?? 0), 0),
  ]);
  return ok({ hypervisor_statistics: Object.fromEntries(sums) as Json });
}

interface Statistics {
  readonly hypervisor_statistics: Readonly<Record<string, number | null>>;
}

const statisticsFields = [
  'count',
  'vcpus',
  'vcpus_used',
  'memory_mb',
  'memory_mb_used',
  'local_gb',
  'local_gb_used',
  'free_ram_mb',
  'free_disk_gb',
  'current_workload',
  'running_vms',
  'disk_available_least',
];

/**
 * GET /scheduler-stats/get_pools: the pools of the pods. Pods may have pools of the same name, so
 * the name of a pool starts with the region of its pod, as in `Pod1:host@backend#pool`.
 * @throws 403
 */
export async function storagePools(call: GatewayCall): Promise<Reply> {
  authorize(call, 'scheduler_extension:scheduler_stats:get_pools', {});
  const { query, version } = call;
  const name = version.has('3.28') ? query.last('name') : undefined;
  const type = version.has('3.35') ? query.last('volume_type') : undefined;
  const typeName = type === undefined ? undefined : await typeNameOf(call, type);
  const replies = await readInZone(call, podQuery(call, typeName));
  const refusal = replies.find(({ reply }) => !isSuccess(reply))?.reply;
  if (refusal) return replyOf(refusal);
  const pools = replies.flatMap(({ pod, reply: { body } }) =>
    (body as { pools: readonly { readonly name: string }[] }).pools.map((pool) => ({
      ...pool,
      name: `${pod.regionName}:${pool.name}`,
    })),
  );
  return ok({ pools: pools.filter((pool) => name === undefined || pool.name === name) });
}

/** The query for the pods: the client's without what the gateway handles itself. */
function podQuery({ query }: GatewayCall, typeName: string | undefined): string {
  const others = query
    .entries()
    .filter(([key]) => !['availability_zone', 'name', 'volume_type'].includes(key))
    .map(([key, value]): [string, string] => [key, value]);
  const type: [string, string][] = typeName === undefined ? [] : [['volume_type', typeName]];
  return new URLSearchParams([...others, ...type]).toString();
}

/** The name of a volume type, which the pods know under other ids. An unknown type stays as is. */
const typeNameOf = async (call: GatewayCall, idOrName: string): Promise<string> =>
  (await readVolumeType(call, idOrName))?.fields.name ?? idOrName;
