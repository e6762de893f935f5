// Usages: list, collect, show.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { TricircleCall } from '../call.ts';
import { reportOn } from '../domain/pods/reports.ts';
import type { Pod } from '../model.ts';
import { aborted, bare } from '../domain/refusals.ts';
import { bottomPods, collect as collectUsages } from '../domain/usages.ts';
import { usageView } from '../views/usages.ts';
import { wrapped } from './requests.ts';

/** GET /v1.0/usages */
export const list = async (call: TricircleCall): Promise<Reply> =>
  listed(call, await bottomPods(call));

/**
 * POST /v1.0/usages: asks the pods now, all of them or the one in the body. In no transaction, for
 * a pod may be another cloud.
 */
export async function collect(call: TricircleCall): Promise<Reply> {
  const { pod_id: id } = wrapped(call, 'usage', () => aborted(400, 'Request body usage not found'));
  if (id !== undefined && typeof id !== 'string')
    throw bare(422, 'Valid pod_id is required for usage');
  const pods = id === undefined ? await bottomPods(call) : [await podOf(call, id)];
  await collectUsages(call, pods);
  return listed(call, pods);
}

/** GET /v1.0/usages/{pod_id} */
export async function show(call: TricircleCall): Promise<Reply> {
  const [report] = await reportOn(call, [await podOf(call, call.params['pod_id']!)]);
  return ok({ usage: usageView(report!) });
}

const listed = async (call: TricircleCall, pods: readonly Pod[]): Promise<Reply> =>
  ok({ usages: (await reportOn(call, pods)).map(usageView) });

/** A pod in which something runs. @throws 404 */
async function podOf(call: TricircleCall, id: string): Promise<Pod> {
  const pod = (await bottomPods(call)).find((one) => one.id === id);
  if (!pod) throw aborted(404, 'Pod not found');
  return pod;
}
