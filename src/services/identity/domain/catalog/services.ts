// Creates, updates and deletes services in the catalog. Upstream: keystone/catalog/core.py.
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { newHexId } from '../../../../kernel/ids.ts';
import * as store from '../../store/catalog/services.ts';
import { deleteAssociationsOf } from '../../store/policy/policies.ts';
import {
  extraOf,
  optionalBoolean,
  optionalText,
  refuseIdChange,
  textOf,
  type Fields,
} from '../attributes.ts';
import type { CatalogService } from '../../model.ts';
import type { Context } from '../../../../kernel/model.ts';

const apiAttributes = ['id', 'type', 'enabled', 'links'];

/** Creates a service. */
export async function createService({ db }: Context, fields: Fields): Promise<CatalogService> {
  const service: CatalogService = {
    id: newHexId(),
    type: textOf(fields, 'type'),
    enabled: optionalBoolean(fields, 'enabled') ?? true,
    extra: { name: '', ...extraOf(fields, apiAttributes) },
  };
  await store.insertService(db, service);
  await bumpAuthRevision(db);
  return service;
}

/** Updates a service. @throws 400 */
export async function updateService(
  { db }: Context,
  service: CatalogService,
  fields: Fields,
): Promise<CatalogService> {
  refuseIdChange(fields, service);
  const next: CatalogService = {
    ...service,
    type: optionalText(fields, 'type') ?? service.type,
    enabled: optionalBoolean(fields, 'enabled') ?? service.enabled,
    extra: { ...service.extra, ...extraOf(fields, apiAttributes) },
  };
  await store.updateService(db, next);
  await bumpAuthRevision(db);
  return next;
}

/** Deletes a service with its endpoints. */
export async function deleteService({ db }: Context, { id }: CatalogService): Promise<void> {
  await deleteAssociationsOf(db, { serviceId: id });
  await store.deleteService(db, id);
  await bumpAuthRevision(db);
}
