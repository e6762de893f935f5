// Pods: list, create, show, update, delete.
import type { ApiError } from '../../../kernel/errors.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { TricircleCall } from '../call.ts';
import { createPod, deletePod, updatePod } from '../domain/pods/pods.ts';
import type { Pod } from '../model.ts';
import { aborted, bare } from '../domain/refusals.ts';
import { findPod, listPods } from '../store/pods.ts';
import { podView } from '../views/pods.ts';
import { wrapped } from './requests.ts';

const noBody = () => aborted(400, 'Request body pod not found');

/** GET /v1.0/pods */
export async function list({ db }: TricircleCall): Promise<Reply> {
  return ok({ pods: (await listPods(db)).map(podView) });
}

/** POST /v1.0/pods */
export async function create(call: TricircleCall): Promise<Reply> {
  return ok({ pod: podView(await createPod(call, wrapped(call, 'pod', noBody))) });
}

/** GET /v1.0/pods/{pod_id} */
export async function show(call: TricircleCall): Promise<Reply> {
  return ok({ pod: podView(await podOf(call, aborted)) });
}

/** PUT /v1.0/pods/{pod_id} */
export async function update(call: TricircleCall): Promise<Reply> {
  const pod = await podOf(call, bare);
  return ok({ pod: podView(await updatePod(call, pod, wrapped(call, 'pod', noBody))) });
}

/** DELETE /v1.0/pods/{pod_id} */
export async function remove(call: TricircleCall): Promise<Reply> {
  await deletePod(call, await podOf(call, bare));
  return ok({});
}

/**
 * The pod of the path. Who shows it and who deletes it is refused in different shapes, as upstream.
 * @throws 404
 */
async function podOf(
  { db, params }: TricircleCall,
  refused: (status: number, message: string) => ApiError,
): Promise<Pod> {
  const pod = await findPod(db, params['pod_id']!);
  if (!pod) throw refused(404, 'Pod not found');
  return pod;
}
