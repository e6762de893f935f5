// The handlers of default types: list, show, set, delete. A project's default type applies to its
// new volumes whose request does not name one. Upstream: cinder/api/v3/default_types.py.
import { badRequest, ApiError, forbidden, notFound } from '../../../../kernel/errors.ts';
import { noContent, ok } from '../../../../kernel/http/reply.ts';
import type { Reply } from '../../../../kernel/model.ts';
import type { VolumeCall } from '../../call.ts';
import {
  defaultTypeOf,
  listDefaultTypes,
  removeDefaultType,
  setDefaultType,
} from '../../domain/types/default-types.ts';
import type { DefaultType } from '../../model.ts';
import { typeNamed } from '../../domain/types/types.ts';
import { isProject } from '../../clients/identity.ts';
import { may } from '../../policy.ts';
import { bodyOf } from '../requests/body.ts';

const view = ({ projectId, typeId }: DefaultType): object => ({
  project_id: projectId,
  volume_type_id: typeId,
});

/** Enforces a rule, with the error message of upstream. @throws 403 */
function authorizeDefault(call: VolumeCall, verb: string, projectId?: string): void {
  if (!may(call, `volume_extension:default_${verb}`, projectId))
    throw forbidden('You are not authorized to perform this operation.');
}

/** Checks policy, and returns the id of the project in the path. @throws 403, 404 */
async function projectOf(call: VolumeCall, verb: string): Promise<string> {
  const id = call.params['project_id']!;
  authorizeDefault(call, verb, id);
  if (!(await isProject(call, id))) throw notFound(`Project with id ${id} not found.`);
  return id;
}

/** GET /v3/default-types */
export async function list(call: VolumeCall): Promise<Reply> {
  authorizeDefault(call, 'get_all');
  return ok({ default_types: (await listDefaultTypes(call)).map(view) });
}

/** GET /v3/default-types/{project_id} */
export async function show(call: VolumeCall): Promise<Reply> {
  return ok({ default_type: view(await defaultTypeOf(call, await projectOf(call, 'get'))) });
}

/** PUT /v3/default-types/{project_id} */
export async function update(call: VolumeCall): Promise<Reply> {
  const projectId = await projectOf(call, 'set_or_update');
  const { volume_type: name } = bodyOf<{ readonly volume_type: string }>(call, 'default_type');
  const type = await typeNamed(call, name).catch((error: unknown) => {
    throw error instanceof ApiError && error.status === 404 ? badRequest(error.message) : error;
  });
  await setDefaultType(call, projectId, type);
  return ok({ default_type: view({ projectId, typeId: type.id }) });
}

/** DELETE /v3/default-types/{project_id}, also for a project that was deleted */
export async function remove(call: VolumeCall): Promise<Reply> {
  const id = call.params['project_id']!;
  authorizeDefault(call, 'unset', id);
  await removeDefaultType(call, id);
  return noContent();
}
