// What making any thing has in common: an id, an owner, the times; and finding things as someone sees them.
import { newUuid } from '../../../kernel/ids.ts';
import { ofProject, ofProjectOrShared, visibleNetworks, visiblePorts, visibleRules, visibleSubnets } from '../store/links.ts';
import { list, type Narrow, type Table } from '../store/table.ts';
import {
  addressScopeTable,
  floatingipTable,
  groupTable,
  networkTable,
  portTable,
  routerTable,
  ruleTable,
  subnetpoolTable,
  subnetTable,
} from '../store/tables.ts';
import { seesAll, type Actor, type Work } from './actor.ts';
import type { Fields } from './attributes/definitions.ts';
import {
  addressScopeNotFound,
  floatingipNotFound,
  groupNotFound,
  networkNotFound,
  portNotFound,
  routerNotFound,
  ruleNotFound,
  subnetNotFound,
  subnetpoolNotFound,
} from './refusals.ts';
import type {
  AddressScope,
  Floatingip,
  Network,
  Port,
  Router,
  SecurityGroup,
  SecurityGroupRule,
  Standard,
  Subnet,
  Subnetpool,
} from './records.ts';
import type { Fault } from '../../../kernel/fault.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** What a new thing has besides its own attributes. */
export function standardOf(fields: Fields, now: number, id = newUuid()): Standard {
  return {
    id,
    project_id: fields['project_id'] as string,
    description: (fields['description'] as string | undefined) ?? '',
    revision_number: 0,
    created_at: now,
    updated_at: now,
  };
}

/** The fields that a table keeps as they are. */
export function kept<T extends Standard>(table: Table<T>, fields: Fields): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name in table.columns && name !== 'id')) as Partial<T>;
}

/** What narrows a kind of thing to what someone sees. */
export type Scope = (db: Db, projectId: string) => Narrow;

export const scopes = {
  network: (_db: Db, projectId: string) => visibleNetworks(projectId),
  subnet: visibleSubnets,
  port: visiblePorts,
  rule: visibleRules,
  pool: (_db: Db, projectId: string) => ofProjectOrShared(projectId),
  own: (_db: Db, projectId: string) => ofProject(projectId),
} as const satisfies Record<string, Scope>;

/** What narrows a list to what someone sees; nothing for those who see all. */
export const seen = (db: Db, actor: Actor, scope: Scope): Narrow[] => (seesAll(actor) ? [] : [scope(db, actor.projectId ?? '')]);

const finder =
  <T extends Standard>(table: Table<T>, scope: Scope, missing: (id: string) => Fault) =>
  async ({ db, actor }: Work, id: string): Promise<T> => {
    const [found] = await list(db, table, { where: { id: [id] }, narrow: seen(db, actor, scope), limit: 1 } as never);
    if (!found) throw missing(id);
    return found as unknown as T;
  };

/** Each finds a thing that the one it is done for may see. @throws 404 */
export const getNetwork = finder<Network>(networkTable, scopes.network, networkNotFound);
export const getSubnet = finder<Subnet>(subnetTable, scopes.subnet, subnetNotFound);
export const getSubnetpool = finder<Subnetpool>(subnetpoolTable, scopes.pool, subnetpoolNotFound);
export const getAddressScope = finder<AddressScope>(addressScopeTable, scopes.pool, addressScopeNotFound);
export const getPort = finder<Port>(portTable, scopes.port, portNotFound);
export const getRouter = finder<Router>(routerTable, scopes.own, routerNotFound);
export const getFloatingip = finder<Floatingip>(floatingipTable, scopes.own, floatingipNotFound);
export const getGroup = finder<SecurityGroup>(groupTable, scopes.own, groupNotFound);
export const getRule = finder<SecurityGroupRule>(ruleTable, scopes.rule, ruleNotFound);
