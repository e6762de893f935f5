// Services in the catalog.
import { created, noContent, ok } from '../../../../kernel/http/reply.ts';
import { normalized } from '../../domain/attributes.ts';
import { createService, deleteService, updateService } from '../../domain/catalog/services.ts';
import type { CatalogService } from '../../model.ts';
import { found } from '../../domain/refusals.ts';
import { findService, listServices } from '../../store/catalog/services.ts';
import { serviceView } from '../../views/catalog/services.ts';
import { listReply } from '../lists.ts';
import { allow, bodyOf } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** GET /v3/services */
export async function list(call: Call): Promise<Reply> {
  allow(call, 'list_services');
  const views = (await listServices(call.db)).map((service) => serviceView(call, service));
  return listReply(call, 'services', views, ['type', 'name']);
}

/** POST /v3/services */
export async function create(call: Call): Promise<Reply> {
  allow(call, 'create_service');
  const service = await createService(call, normalized(bodyOf(call, 'service')));
  return created({ service: serviceView(call, service) });
}

/** GET /v3/services/{service_id} */
export async function show(call: Call): Promise<Reply> {
  return ok({ service: serviceView(call, await target(call, 'get_service')) });
}

/** PATCH /v3/services/{service_id} */
export async function update(call: Call): Promise<Reply> {
  const service = await updateService(
    call,
    await target(call, 'update_service'),
    bodyOf(call, 'service'),
  );
  return ok({ service: serviceView(call, service) });
}

/** DELETE /v3/services/{service_id}; its endpoints are deleted too. */
export async function remove(call: Call): Promise<Reply> {
  await deleteService(call, (await target(call, 'delete_service')).id);
  return noContent();
}

async function target(call: Call, rule: string): Promise<CatalogService> {
  allow(call, rule);
  const id = call.params['service_id']!;
  return found(await findService(call.db, id), 'service', id);
}
