// Usages: list, collect, show.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { TricircleCall } from '../call.ts';
import { readReports } from '../domain/pods/reports.ts';
import type { Pod } from '../model.ts';
import { aborted, bare } from '../domain/errors.ts';
import { bottomPods, collect as collectUsages } from '../domain/usages.ts';
import { usageView } from '../views/usages.ts';
import { readObject } from './requests.ts';

/** GET /v1.0/usages */
export const list = async (call: TricircleCall): Promise<Reply> =>
  listReply(call, await bottomPods(call));

/**
 * POST /v1.0/usages: collects the usage of all pods, or of the one in the body. Runs outside of a
 * transaction, because a pod may be another cloud.
 */
export async function collect(call: TricircleCall): Promise<Reply> {
  const { pod_id: id } = readObject(call, 'usage', () =>
    aborted(400, 'Request body usage not found'),
  );
  if (id !== undefined && typeof id !== 'string')
    throw bare(422, 'Valid pod_id is required for usage');
  const pods = id === undefined ? await bottomPods(call) : [await getPod(call, id)];
  await collectUsages(call, pods);
  return listReply(call, pods);
}

/** GET /v1.0/usages/{pod_id} */
export async function show(call: TricircleCall): Promise<Reply> {
  const [report] = await readReports(call, [await getPod(call, call.params['pod_id']!)]);
  return ok({ usage: usageView(report!) });
}

const listReply = async (call: TricircleCall, pods: readonly Pod[]): Promise<Reply> =>
  ok({ usages: (await readReports(call, pods)).map(usageView) });

/** Finds a pod, except the central one. @throws 404 */
async function getPod(call: TricircleCall, id: string): Promise<Pod> {
  const pod = (await bottomPods(call)).find((bottomPod) => bottomPod.id === id);
  if (!pod) throw aborted(404, 'Pod not found');
  return pod;
}
