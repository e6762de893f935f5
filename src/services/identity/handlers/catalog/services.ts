// Services: what the catalog has to offer.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import type { CatalogService } from '../../domain/records.ts';
import { found } from '../../domain/refusals.ts';
import { deleteService, findService, insertService, listServices, updateService } from '../../store/catalog/catalog.ts';
import { forgetPolicyPlaces } from '../../store/policy/policies.ts';
import { serviceView } from '../../views/catalog/catalog.ts';
import { listReply } from '../../views/links.ts';
import { allow, bodyOf, extraOf, normalized, refuseMove, textOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

const known = ['id', 'type', 'enabled', 'links'];

/** GET /v3/services */
export async function list(call: Call): Promise<Reply> {
  allow(call, 'list_services');
  const services = await listServices(call.db);
  return listReply(
    call,
    'services',
    services.map((service) => serviceView(call, service)),
    ['type', 'name'],
  );
}

/** POST /v3/services */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_service');
  const fields = normalized(bodyOf(call, 'service'));
  const service: CatalogService = {
    id: newHexId(),
    type: textOf(fields, 'type'),
    enabled: (fields['enabled'] as boolean | undefined) ?? true,
    extra: { name: '', ...extraOf(fields, known) },
  };
  await insertService(call.db, service);
  return created({ service: serviceView(call, service) });
}

/** GET /v3/services/{service_id} */
export async function show(call: Call): Promise<Reply> {
  const service = await target(call, 'get_service');
  return ok({ service: serviceView(call, service) });
}

/** PATCH /v3/services/{service_id} */
export async function update(call: Call): Promise<Reply> {
  const service = await target(call, 'update_service');
  const fields = bodyOf(call, 'service');
  refuseMove(fields, service);
  const next: CatalogService = {
    ...service,
    type: (fields['type'] as string | undefined) ?? service.type,
    enabled: (fields['enabled'] as boolean | undefined) ?? service.enabled,
    extra: { ...service.extra, ...extraOf(fields, known) },
  };
  await updateService(call.db, next);
  return ok({ service: serviceView(call, next) });
}

/** DELETE /v3/services/{service_id}; its endpoints go too. */
export async function remove(call: Call): Promise<Reply> {
  const { id } = await target(call, 'delete_service');
  await forgetPolicyPlaces(call.db, { serviceId: id });
  await deleteService(call.db, id);
  return noContent();
}

async function target(call: Call, rule: string): Promise<CatalogService> {
  allow(call, rule);
  const id = call.params['service_id']!;
  return found(await findService(call.db, id), 'service', id);
}
