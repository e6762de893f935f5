// The objects that policies share, by their type: where they are, and which projects use them.
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { ObjectType, Standard } from '../../model.ts';
import type { ResourceTable } from '../../store/resource-table.ts';
import { latest } from '../../store/sharing.ts';
import { projectsInGroup } from '../../store/security-groups.ts';
import {
  addressGroupTable,
  addressScopeTable,
  floatingipTable,
  groupTable,
  networkTable,
  portTable,
  qosPolicyTable,
  routerTable,
  ruleTable,
  subnetpoolTable,
  subnetTable,
} from '../../store/tables.ts';
import type { ApiError } from '../../../../kernel/errors.ts';
import {
  addressGroupNotFound,
  addressScopeNotFound,
  groupNotFound,
  networkNotFound,
  qosPolicyNotFound,
  subnetpoolNotFound,
} from '../refusals.ts';

interface SharedType {
  readonly find: (db: Db, id: string) => Promise<Standard | undefined>;
  readonly notFound: (id: string) => ApiError;
  /** Makes sure that the object is not deleted before the transaction commits. */
  readonly lock: (context: Context, object: Standard) => Promise<unknown>;
  /** The projects with something that depends on the object, in the latest committed state. */
  readonly users: (db: Db, id: string) => Promise<ReadonlySet<string>>;
}

const ownersOf = (records: readonly Standard[]): Set<string> =>
  new Set(records.map(({ project_id: owner }) => owner).filter(Boolean));

/** Clients do not see the lock: only networks show that their policies have changed. */
const checked =
  <T extends Standard>(table: ResourceTable<T>): SharedType['lock'] =>
  ({ db }, object) =>
    table.checkUnchanged(db, object as T);

export const sharedTypes: Readonly<Record<ObjectType, SharedType>> = {
  network: {
    find: (db, id) => networkTable.find(db, { id }),
    notFound: networkNotFound,
    lock: ({ db, now }, network) => networkTable.touch(db, network as never, now),
    // The ports of routers and floating IPs have no project.
    users: async (db, id) =>
      ownersOf(await portTable.list(db, { where: { network_id: id }, conditions: [latest] })),
  },
  subnetpool: {
    find: (db, id) => subnetpoolTable.find(db, { id }),
    notFound: subnetpoolNotFound,
    lock: checked(subnetpoolTable),
    users: async (db, id) =>
      ownersOf(await subnetTable.list(db, { where: { subnetpool_id: id }, conditions: [latest] })),
  },
  address_scope: {
    find: (db, id) => addressScopeTable.find(db, { id }),
    notFound: addressScopeNotFound,
    lock: checked(addressScopeTable),
    users: async (db, id) =>
      ownersOf(
        await subnetpoolTable.list(db, { where: { address_scope_id: id }, conditions: [latest] }),
      ),
  },
  address_group: {
    find: (db, id) => addressGroupTable.find(db, { id }),
    notFound: addressGroupNotFound,
    lock: checked(addressGroupTable),
    users: async (db, id) =>
      ownersOf(
        await ruleTable.list(db, {
          where: { remote_address_group_id: id },
          conditions: [latest],
        }),
      ),
  },
  qos_policy: {
    find: (db, id) => qosPolicyTable.find(db, { id }),
    notFound: qosPolicyNotFound,
    lock: checked(qosPolicyTable),
    users: async (db, id) => {
      const where = { where: { qos_policy_id: id }, conditions: [latest] };
      return ownersOf([
        ...(await networkTable.list(db, where)),
        ...(await portTable.list(db, where)),
        ...(await floatingipTable.list(db, where)),
        ...(await routerTable.list(db, where)),
      ]);
    },
  },
  security_group: {
    find: (db, id) => groupTable.find(db, { id }),
    notFound: groupNotFound,
    lock: checked(groupTable),
    users: async (db, id) => new Set(await projectsInGroup(db, id)),
  },
};
