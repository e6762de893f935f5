// Pods: list, create, show, update, delete.
import type { ApiError } from '../../../kernel/errors.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { TricircleCall } from '../call.ts';
import { createPod, deletePod, updatePod } from '../domain/pods/pods.ts';
import type { Pod } from '../model.ts';
import { aborted, bare } from '../domain/errors.ts';
import { findPod, listPods } from '../store/pods.ts';
import { podView } from '../views/pods.ts';
import { readObject } from './requests.ts';

const noBody = () => aborted(400, 'Request body pod not found');

/** GET /v1.0/pods */
export async function list({ db }: TricircleCall): Promise<Reply> {
  return ok({ pods: (await listPods(db)).map(podView) });
}

/** POST /v1.0/pods */
export async function create(call: TricircleCall): Promise<Reply> {
  return ok({ pod: podView(await createPod(call, readObject(call, 'pod', noBody))) });
}

/** GET /v1.0/pods/{pod_id} */
export async function show(call: TricircleCall): Promise<Reply> {
  return ok({ pod: podView(await getPod(call, aborted)) });
}

/** PUT /v1.0/pods/{pod_id} */
export async function update(call: TricircleCall): Promise<Reply> {
  const pod = await getPod(call, bare);
  return ok({ pod: podView(await updatePod(call, pod, readObject(call, 'pod', noBody))) });
}

/** DELETE /v1.0/pods/{pod_id} */
export async function remove(call: TricircleCall): Promise<Reply> {
  await deletePod(call, await getPod(call, bare));
  return ok({});
}

/**
 * Finds the pod in the path. As upstream, the format of the error depends on the operation.
 * @throws 404
 */
async function getPod(
  { db, params }: TricircleCall,
  errorOf: (status: number, message: string) => ApiError,
): Promise<Pod> {
  const pod = await findPod(db, params['pod_id']!);
  if (!pod) throw errorOf(404, 'Pod not found');
  return pod;
}
