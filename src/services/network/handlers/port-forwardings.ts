// The port forwardings of a floating IP: /v2.0/floatingips/{id}/port_forwardings. Upstream:
// neutron/extensions/floating_ip_port_forwarding.py.
import { created, noContent, ok } from '../../../kernel/http/reply.ts';
import { may } from '../../../kernel/http/steps.ts';
import type { Target } from '../../../kernel/oslo/policy.ts';
import type { Condition, Sort } from '../../../kernel/db/listing.ts';
import type { Call, Reply } from '../../../kernel/model.ts';
import { preparePost, preparePut } from '../domain/attributes/bodies.ts';
import { badInput, floatingipNotFound } from '../domain/refusals.ts';
import { portForwardingAttributes } from '../domain/routers/port-forwarding-attributes.ts';
import {
  createForwarding,
  deleteForwarding,
  getForwarding,
  updateForwarding,
} from '../domain/routers/port-forwardings.ts';
import { getFloatingip } from '../domain/visibility.ts';
import type { Floatingip, PortForwarding } from '../model.ts';
import { floatingipTable, forwardingTable } from '../store/tables.ts';
import { portForwardingView } from '../views/port-forwardings.ts';
import { filterNames, linksOf, pageOf, sortKeysOf, withFields } from './listings.ts';
import { enforce, refuseBody } from './requests.ts';

const showRule = 'get_floatingip_port_forwarding';

const floatingipIn = (call: Call): Promise<Floatingip> => getFloatingip(call, call.params['id']!);

/** What policy rules see of a forwarding: the owner of its floating IP. */
const targetOf = (floating: Floatingip): Target => ({
  'ext_parent:project_id': floating.project_id,
});

interface Found {
  readonly floating: Floatingip;
  readonly forwarding: PortForwarding;
}

/** Finds the floating IP and the forwarding of the path. @throws 404 */
async function forwardingIn(call: Call): Promise<Found> {
  const floating = await floatingipIn(call);
  const id = call.params['port_forwarding_id']!;
  return { floating, forwarding: await getForwarding(call, floating, id) };
}

/** GET /v2.0/floatingips/{id}/port_forwardings */
export async function list(call: Call): Promise<Reply> {
  const { attributes } = portForwardingAttributes;
  const names = filterNames(call, (name) => attributes[name]?.filter === true);
  const conditions = names.map((name) => filterBy(name, call.query.all(name)));
  const sort = sortKeysOf(call, portForwardingAttributes).map(
    ({ key, descending }): Sort<PortForwarding> => ({ field: columnOf(key), descending }),
  );
  const page = await pageOf(call);
  const floating = await floatingipIn(call);
  const after =
    page.marker === undefined ? undefined : await getForwarding(call, floating, page.marker);
  const records = await forwardingTable.list(call.db, {
    where: { floatingip_id: floating.id },
    conditions,
    sort,
    limit: page.limit,
    after,
    reverse: page.reverse,
  });
  const found = may(call, showRule, targetOf(floating)) ? records : [];
  const links = linksOf(call, page, found);
  return ok({
    port_forwardings: found.map((one) => withFields(call, portForwardingView(one))),
    ...(links.length ? { port_forwardings_links: links } : {}),
  });
}

/** The column that an attribute is sorted by. */
const columnOf = (name: string): keyof PortForwarding =>
  name.startsWith('external_port') ? 'external_port_start' : (name as keyof PortForwarding);

/** Ports and ranges of ports are filtered by both of their ends. */
function filterBy(name: string, values: readonly string[]): Condition {
  if (!name.startsWith('external_port'))
    return forwardingTable.withValue(name as keyof PortForwarding, values);
  const ranges = values.map((value) => value.split(':').map(Number));
  return (query) =>
    void query.where((any) => {
      for (const ends of ranges)
        void any.orWhere({
          external_port_start: ends[0] || 0,
          external_port_end: ends.at(-1) || 0,
        });
    });
}

/** GET /v2.0/floatingips/{id}/port_forwardings/{port_forwarding_id} */
export async function show(call: Call): Promise<Reply> {
  const { floating, forwarding } = await forwardingIn(call);
  enforce(call, [showRule], targetOf(floating), showRule);
  return ok({ port_forwarding: withFields(call, portForwardingView(forwarding)) });
}

/** POST /v2.0/floatingips/{id}/port_forwardings: callers of other projects get 403, as upstream */
export async function create(call: Call): Promise<Reply> {
  const { bulk, items } = preparePost(portForwardingAttributes, call.actor, call.body);
  const id = call.params['id']!;
  const parent = await floatingipTable.find(call.db, { id });
  if (!parent) throw floatingipNotFound(id);
  enforce(call, ['create_floatingip_port_forwarding'], targetOf(parent));
  if (bulk) throw badInput('Bulk operation not supported');
  const forwarding = await createForwarding(call, await floatingipIn(call), items[0]!);
  return created({ port_forwarding: portForwardingView(forwarding) });
}

/** PUT /v2.0/floatingips/{id}/port_forwardings/{port_forwarding_id} */
export async function update(call: Call): Promise<Reply> {
  const fields = preparePut(portForwardingAttributes, call.actor, call.body);
  const { floating, forwarding } = await forwardingIn(call);
  enforce(call, ['update_floatingip_port_forwarding'], targetOf(floating), showRule);
  const updated = await updateForwarding(call, floating, forwarding, fields);
  return ok({ port_forwarding: portForwardingView(updated) });
}

/** DELETE /v2.0/floatingips/{id}/port_forwardings/{port_forwarding_id} */
export async function remove(call: Call): Promise<Reply> {
  refuseBody(call);
  const { floating, forwarding } = await forwardingIn(call);
  enforce(call, ['delete_floatingip_port_forwarding'], targetOf(floating), showRule);
  await deleteForwarding(call, forwarding);
  return noContent();
}
