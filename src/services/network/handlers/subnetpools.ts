// Subnet pools.
import { getSubnetpool, scopes } from '../domain/visibility.ts';
import { subnetpoolKind } from '../domain/subnetpools/attributes.ts';
import type { Subnetpool } from '../domain/records.ts';
import { createSubnetpool, deleteSubnetpool, updateSubnetpool } from '../domain/subnetpools/subnetpools.ts';
import { subnetpoolTable } from '../store/tables.ts';
import { showSubnetpools } from '../views/things.ts';
import { each } from './networks.ts';
import { handlersFor, type Thing } from './resources.ts';

export const subnetpoolThing: Thing<Subnetpool> = {
  kind: subnetpoolKind,
  table: subnetpoolTable,
  scope: scopes.pool,
  get: getSubnetpool,
  create: (work, items) => each(items, (fields) => createSubnetpool(work, fields)),
  update: updateSubnetpool,
  remove: deleteSubnetpool,
  show: showSubnetpools,
};

export const subnetpools = handlersFor(subnetpoolThing);
