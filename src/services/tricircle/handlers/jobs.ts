// Asynchronous jobs: list, detail, schemas, create, show, redo, delete.
import { ok } from '../../../kernel/http/reply.ts';
import { may } from '../../../kernel/http/steps.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { TricircleCall } from '../call.ts';
import { createJob, deleteJob, findJob, redoJob } from '../domain/jobs/jobs.ts';
import { listJobPage } from '../domain/jobs/list.ts';
import { typed } from '../domain/errors.ts';
import { jobPageView, jobView, schemasView } from '../views/jobs.ts';
import { readObject } from './requests.ts';

/** GET /v1.0/jobs */
export async function list(call: TricircleCall): Promise<Reply> {
  return ok(jobPageView(await listJobPage(call, call.query)));
}

/** GET /v1.0/jobs/detail: the same list, but requires the policy rules of both. @throws 403 */
export function detail(call: TricircleCall): Promise<Reply> {
  if (!may(call, 'admin_api:jobs:list', {})) throw typed(403, 'Unauthorized to show all jobs');
  return list(call);
}

/** GET /v1.0/jobs/schemas */
export const schemas = (): Reply => ok(schemasView());

/** POST /v1.0/jobs */
export async function create(call: TricircleCall): Promise<Reply> {
  const fields = readObject(call, 'job', () => typed(400, 'Request body not found'));
  return ok({ job: jobView(await createJob(call, fields)) });
}

/** GET /v1.0/jobs/{job_id} */
export async function show(call: TricircleCall): Promise<Reply> {
  return ok({ job: jobView(await findJob(call, call.params['job_id']!)) });
}

/** PUT /v1.0/jobs/{job_id}: replies with null, as upstream's controller does. */
export async function redo(call: TricircleCall): Promise<Reply> {
  await redoJob(call, call.params['job_id']!);
  return ok(null);
}

/** DELETE /v1.0/jobs/{job_id} */
export async function remove(call: TricircleCall): Promise<Reply> {
  await deleteJob(call, call.params['job_id']!);
  return ok({});
}
