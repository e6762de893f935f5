// The last steps: the routings lead to the target, and the source is cleaned up. A move that has
// come so far is not undone any more.
import { inRegionTransaction } from '../../../../../kernel/context.ts';
import { cancel, schedule } from '../../../../../kernel/jobs/queue.ts';
import type { Context } from '../../../../../kernel/model.ts';
import { centralRegionOf } from '../../../../../kernel/regions.ts';
import { listRoutings, moveRouting } from '../../../store/routings.ts';
import { addRouting } from '../../routings.ts';
import { deleteGroup, deleteServer, deleteVolume, discardPorts } from './copy.ts';
import { cannotMove, forEach, inTurn, type Step, type Work } from './step.ts';

/** The gateway's job that binds the central ports of a server to its host. */
const settlePortsKind = 'gateway.settle_ports';

/**
 * Changes the routings of all resources at once. @throws ApiError if one has another pod or is gone
 */
export async function switchRoutings(
  context: Context,
  { move, source, target }: Omit<Work, 'context'>,
): Promise<void> {
  for (const { type, id, projectId } of move.resources) {
    const filter = { topId: id, resourceType: type };
    const routings = await listRoutings(context.db, filter);
    const [routing] = routings.filter(({ podId }) => podId === source.id);
    // Nova creates volumes without routings.
    if (!routings.length && type === 'volume')
      await addRouting(context, { ...filter, bottomId: id, podId: target.id, projectId });
    else if (!routing || !(await moveRouting(context.db, routing, target.id, context.now)))
      throw cannotMove(`The ${type.replace('_', ' ')} ${id} is not in ${source.regionName}.`);
  }
}

/** What the source still has of the resources is deleted. */
export const release: Step = {
  name: 'release',
  run: async (work) => {
    const { context, source, target } = work;
    await forEach(work, 'server', async ({ id, projectId }) => {
      await settlePorts(context, id, { podId: target.id, projectId });
      return true;
    });
    return inTurn(
      () => forEach(work, 'server', ({ id }) => deleteServer(context, source, id)),
      () => forEach(work, 'volume', ({ id }) => deleteVolume(context, source, id)),
      () => forEach(work, 'server_group', ({ id }) => deleteGroup(context, source, id)),
      () => discardPorts(work, source),
    );
  },
};

const settlePorts = (context: Context, id: string, payload: object): Promise<void> =>
  inRegionTransaction(context, centralRegionOf(context.cloud)!, async ({ db, now }) => {
    await cancel(db, settlePortsKind, id);
    await schedule(db, { dueAt: now, kind: settlePortsKind, subject: id, payload });
  });
