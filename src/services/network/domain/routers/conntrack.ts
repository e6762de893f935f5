// The conntrack helpers of routers, which track connections of protocols with several ports.
// Upstream: neutron/services/conntrack_helper/plugin.py.
import type { Context } from '../../../../kernel/model.ts';
import type { Conntrack } from '../../model.ts';
import { conntrackHelperTable, routerTable } from '../../store/tables.ts';
import type { Fields } from '../attributes/definitions.ts';
import { bad, badResource, conntrackHelperNotFound, routerNotFound } from '../refusals.ts';
import { newStandard, storedFields } from '../standard.ts';

/** The protocols of each helper. Upstream: allowed_conntrack_helpers. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  amanda: ['tcp'],
  ftp: ['tcp'],
  h323: ['udp', 'tcp'],
  irc: ['tcp'],
  'netbios-ns': ['udp'],
  pptp: ['tcp'],
  sane: ['tcp'],
  sip: ['udp', 'tcp'],
  snmp: ['udp'],
  tftp: ['udp'],
};

type Tracked = Pick<Conntrack, 'router_id' | 'protocol' | 'port' | 'helper'>;

/** @throws 400 */
function checkAllowed({ helper, protocol }: Tracked): void {
  const protocols = Object.hasOwn(allowed, helper) ? allowed[helper] : undefined;
  if (!protocols)
    throw bad('ConntrackHelperNotAllowed', `Conntrack Helper ${helper} is not allowed.`);
  if (protocols.includes(protocol)) return;
  throw bad(
    'InvalidProtocolForHelper',
    `Conntrack Helper ${helper} does not support: ${protocol}. Supported protocols are: ` +
      protocols.join(', '),
  );
}

/** @throws 400 if the router has the same helper already */
async function checkNew(
  { db }: Context,
  { router_id, protocol, port, helper }: Tracked,
  own?: string,
): Promise<void> {
  const same = await conntrackHelperTable.find(db, { router_id, protocol, port, helper });
  if (!same || same.id === own) return;
  throw badResource(
    'conntrack_helper',
    'A duplicate conntrack helper entry with same attributes already exists, conflicting values ' +
      `are {'router_id': '${router_id}', 'protocol': '${protocol}', 'port': ${port}, ` +
      `'helper': '${helper}'}`,
  );
}

/** @throws 404 */
export async function getConntrackHelper(
  { db }: Context,
  router_id: string,
  id: string,
): Promise<Conntrack> {
  const found = await conntrackHelperTable.find(db, { id, router_id });
  if (!found) throw conntrackHelperNotFound(id);
  return found;
}

/** Adds a helper to a router. @throws 400, 404 */
export async function createConntrackHelper(
  context: Context,
  routerId: string,
  fields: Fields,
): Promise<Conntrack> {
  const { db, now } = context;
  const router = await routerTable.find(db, { id: routerId });
  if (!router) throw routerNotFound(routerId);
  const helper: Conntrack = {
    ...newStandard({ project_id: router.project_id }, now),
    router_id: routerId,
    protocol: fields['protocol'] as string,
    port: fields['port'] as number,
    helper: fields['helper'] as string,
  };
  checkAllowed(helper);
  await checkNew(context, helper);
  await conntrackHelperTable.create(db, helper);
  await routerTable.touch(db, router, now);
  return helper;
}

/** @throws 400 */
export async function updateConntrackHelper(
  context: Context,
  before: Conntrack,
  fields: Fields,
): Promise<Conntrack> {
  const { db, now } = context;
  const changes = storedFields(conntrackHelperTable, fields);
  const next = { ...before, ...changes };
  checkAllowed(next);
  await checkNew(context, next, before.id);
  const changed = await conntrackHelperTable.change(db, before, changes, now);
  await touchRouter(context, before);
  return changed;
}

export async function deleteConntrackHelper(context: Context, helper: Conntrack): Promise<void> {
  await conntrackHelperTable.delete(context.db, helper);
  await touchRouter(context, helper);
}

async function touchRouter({ db, now }: Context, { router_id: id }: Conntrack): Promise<void> {
  await routerTable.touch(db, (await routerTable.find(db, { id }))!, now);
}
