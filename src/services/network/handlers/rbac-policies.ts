// RBAC policies. A project sees those that it has created.
import type { RbacPolicy } from '../model.ts';
import { rbacAttributes } from '../domain/sharing/attributes.ts';
import { createPolicy, deletePolicy, updatePolicy } from '../domain/sharing/policies.ts';
import { getRbacPolicy, visibility } from '../domain/visibility.ts';
import { rbacTable } from '../store/tables.ts';
import { plainView } from '../views/view.ts';
import { resourceHandlers, sequentially, type UpdatableResource } from './resources.ts';

export const rbacResource: UpdatableResource<RbacPolicy> = {
  map: rbacAttributes,
  table: rbacTable,
  visibility: visibility.own,
  get: getRbacPolicy,
  create: sequentially(createPolicy),
  update: updatePolicy,
  delete: deletePolicy,
  views: (_db, policies) => Promise.resolve(policies.map(plainView)),
};

export const { list, show, create, update, remove } = resourceHandlers(rbacResource);
