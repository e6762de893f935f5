// Where a project wants its new volumes: in the pod of a server, or in the pod it is bound to.
import type { Context } from '../../../kernel/model.ts';
import type { Pod, Routing, VolumePlacement } from '../model.ts';
import { listRoutings } from '../store/routings.ts';
import { findVolumePlacement, writeVolumePlacement } from '../store/volume-placements.ts';
import { typed } from './errors.ts';
import { isLonger, type Fields } from './fields.ts';

/** Means the server that the project has created last. */
const latest = 'latest';

/** Reads a project's preference; the pod that it is bound to if it has none. */
export const readVolumePlacement = async (
  { db }: Context,
  projectId: string,
): Promise<VolumePlacement> =>
  (await findVolumePlacement(db, projectId)) ?? { projectId, localToInstance: null };

/** Changes a project's preference. @throws 400 for a server that is not the project's */
export async function changeVolumePlacement(
  context: Context,
  projectId: string,
  fields: Fields,
): Promise<VolumePlacement> {
  const value = Object.hasOwn(fields, 'local_to_instance')
    ? fields['local_to_instance']
    : undefined;
  const isText = typeof value === 'string' && value !== '' && !isLonger(value, 127);
  if (value !== null && !isText)
    throw typed(400, "local_to_instance must be the id of a server, 'latest' or null");
  const placement = { projectId, localToInstance: value };
  if (value !== null && value !== latest && !(await findServer(context, placement)))
    throw typed(400, `Server ${value} could not be found`);
  await writeVolumePlacement(context.db, placement);
  return placement;
}

/** The routing of the server that a preference means; undefined if the project has none. */
async function findServer(
  { db }: Context,
  { projectId, localToInstance }: VolumePlacement,
): Promise<Routing | undefined> {
  const servers = { projectId, resourceType: 'server' };
  const named = localToInstance === latest ? {} : { topId: localToInstance! };
  return (await listRoutings(db, { ...servers, ...named, limit: 1 }))[0];
}

/** The pod that a project prefers for its new volumes; undefined if it prefers none. */
export async function preferredPod(
  context: Context,
  pods: readonly Pod[],
  projectId: string,
): Promise<Pod | undefined> {
  const placement = await readVolumePlacement(context, projectId);
  if (placement.localToInstance === null) return undefined;
  const routing = await findServer(context, placement);
  return pods.find(({ id }) => id === routing?.podId);
}
