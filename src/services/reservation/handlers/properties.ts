// Properties: the names of hosts' extra capabilities.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ReservationCall } from '../call.ts';
import { setPropertyVisibility } from '../domain/hosts/hosts.ts';
import { listCapabilities, listProperties } from '../store/hosts.ts';
import { propertiesView, propertyView } from '../views/hosts.ts';

/**
 * Lists properties. Private ones are included only for administrators that set `all`. Any value of
 * `detail` counts as true, including `False`.
 */
export async function list({ db, query, actor }: ReservationCall): Promise<Reply> {
  const all = Boolean(query.last('all')) && actor.isAdmin;
  const properties = (await listProperties(db)).filter(({ isPrivate }) => all || !isPrivate);
  const values = await listCapabilities(db);
  return ok({
    resource_properties: propertiesView(properties, values, Boolean(query.last('detail'))),
  });
}

export async function update(call: ReservationCall): Promise<Reply> {
  return ok({
    resource_property: propertyView(
      await setPropertyVisibility(call, call.params['property_name']!, call.body),
    ),
  });
}
