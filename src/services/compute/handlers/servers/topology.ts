// The NUMA topology of a server. Only administrators see the host's NUMA nodes.
import { ok } from '../../../../kernel/http/reply.ts';
import { authorize, may } from '../../../../kernel/http/steps.ts';
import type { ComputeCall } from '../../call.ts';
import { topologyOf } from '../../domain/servers/topology.ts';
import { serverOfPath, targetOf } from './subject.ts';
import type { Reply } from '../../../../kernel/model.ts';

const rule = 'compute:server:topology';

export async function show(call: ComputeCall): Promise<Reply> {
  const server = await serverOfPath(call);
  authorize(call, `${rule}:index`, targetOf(server));
  const showsHost = may(call, `${rule}:host:index`, targetOf(server));
  const { nodes, pageSize } = topologyOf(server);
  return ok({
    nodes: nodes.map(({ cpus, memory }, index) => ({
      vcpu_set: cpus,
      siblings: [],
      memory_mb: memory,
      // No virtual CPU is pinned to a CPU of the host.
      ...(showsHost ? { host_node: index, cpu_pinning: {} } : {}),
    })),
    pagesize_kb: pageSize,
  });
}
