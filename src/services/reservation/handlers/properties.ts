// Properties: what is said of hosts beyond what they are.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ReservationCall } from '../call.ts';
import { changeProperty } from '../domain/hosts/hosts.ts';
import { capabilitiesOf, listProperties } from '../store/hosts.ts';
import { propertiesView, propertyView } from '../views/hosts.ts';

/**
 * Private ones only with `all`, and for administrators. Any text after `detail=` means yes, `False`
 * too.
 */
export async function list({ db, query, actor }: ReservationCall): Promise<Reply> {
  const all = Boolean(query.last('all')) && actor.isAdmin;
  const properties = (await listProperties(db)).filter(({ isPrivate }) => all || !isPrivate);
  const values = await capabilitiesOf(db);
  return ok({
    resource_properties: propertiesView(properties, values, Boolean(query.last('detail'))),
  });
}

export async function update(call: ReservationCall): Promise<Reply> {
  return ok({
    resource_property: propertyView(
      await changeProperty(call, call.params['property_name']!, call.body),
    ),
  });
}
