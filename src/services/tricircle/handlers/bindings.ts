// Bindings: list, history, create, show, delete.
import { ok } from '../../../kernel/http/reply.ts';
import { boolFromString } from '../../../kernel/oslo/booleans.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { TricircleCall } from '../call.ts';
import { bindByAdmin, unbindByAdmin } from '../domain/bindings.ts';
import { pythonInt } from '../domain/fields.ts';
import type { Binding } from '../model.ts';
import { aborted } from '../domain/errors.ts';
import { findBinding, listBindings } from '../store/bindings.ts';
import { bindingView } from '../views/bindings.ts';
import { readObject } from './requests.ts';

/** GET /v1.0/bindings: includes bindings that have ended. */
export const list = (call: TricircleCall): Promise<Reply> => listReply(call, false);

/** GET /v1.0/bindings/history: also includes bindings that an admin has deleted; latest first. */
export const history = (call: TricircleCall): Promise<Reply> => listReply(call, true);

/** POST /v1.0/bindings */
export async function create(call: TricircleCall): Promise<Reply> {
  const fields = readObject(call, 'pod_binding', () => aborted(400, 'Request body not found'));
  return ok({ pod_binding: bindingView(await bindByAdmin(call, fields)) });
}

/** GET /v1.0/bindings/{binding_id} */
export async function show(call: TricircleCall): Promise<Reply> {
  return ok({ pod_binding: bindingView(await getBinding(call)) });
}

/** DELETE /v1.0/bindings/{binding_id} */
export async function remove(call: TricircleCall): Promise<Reply> {
  await unbindByAdmin(call, await getBinding(call));
  return ok({});
}

/** @throws 404 */
async function getBinding({ db, params }: TricircleCall): Promise<Binding> {
  const binding = await findBinding(db, params['binding_id']!);
  if (!binding || binding.deleted) throw aborted(404, 'Tenant pod binding not found');
  return binding;
}

/** Unlike upstream, has filters. Unknown parameters are ignored, as upstream. @throws 400 */
async function listReply(call: TricircleCall, isHistory: boolean): Promise<Reply> {
  const { db, query } = call;
  const isBinding = query.last('is_binding');
  const bindings = await listBindings(db, {
    tenantId: query.last('tenant_id') ?? query.last('project_id'),
    podId: query.last('pod_id'),
    azName: query.last('az_name'),
    isBinding: isBinding === undefined ? undefined : boolFromString(isBinding),
    withDeleted: isHistory,
    latestFirst: isHistory,
    limit: readLimit(call),
    after: await findMarker(call, isHistory),
  });
  return ok({ pod_bindings: bindings.map(bindingView) });
}

function readLimit({ query }: TricircleCall): number | undefined {
  const text = query.last('limit');
  if (text === undefined) return undefined;
  const limit = pythonInt(text);
  if (limit === undefined)
    throw aborted(
      400,
      `Limit should be an integer or a valid literal for int() rather than '${text}'`,
    );
  return limit > 0 ? limit : undefined;
}

async function findMarker(
  { db, query }: TricircleCall,
  isHistory: boolean,
): Promise<Binding | undefined> {
  const id = query.last('marker');
  if (id === undefined) return undefined;
  const marker = await findBinding(db, id);
  if (!marker || (marker.deleted && !isHistory)) throw aborted(400, `Invalid marker: ${id}`);
  return marker;
}
