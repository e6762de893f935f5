// The tables of roles and of their implications.
import { jsonObject, named, nullable, nullAsEmpty, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { Implication, Role } from '../../model.ts';
import { nameKeyColumn } from '../names.ts';

const roles = new Table<Role>(
  'identity_roles',
  {
    id: text,
    name: text,
    domainId: nullAsEmpty,
    description: nullable(text),
    options: jsonObject(),
    extra: jsonObject(),
  },
  { derived: nameKeyColumn },
);

const implications = new Table<Implication>(
  'identity_implied_roles',
  { priorId: named('prior_role_id', text), impliedId: named('implied_role_id', text) },
  { key: ['priorId', 'impliedId'] },
);

/** @throws the driver's error of `isDuplicate` if the domain has a role of that name */
export async function insertRole(db: Db, role: Role): Promise<void> {
  await roles.insert(db, role);
}

/** Inserts the roles that do not exist yet. */
export const ensureRoles = (db: Db, all: readonly Role[]): Promise<void> => roles.ensure(db, all);

/** @throws the driver's error of `isDuplicate` if the domain has another role of that name */
export async function updateRole(db: Db, role: Role): Promise<void> {
  await roles.update(db, { id: role.id }, role);
}

/** Deletes a role with its assignments and implications. */
export async function deleteRole(db: Db, id: string): Promise<void> {
  await roles.remove(db, { id });
}

export async function deleteRolesOfDomain(db: Db, domainId: string): Promise<void> {
  await roles.remove(db, { domainId });
}

export const findRole = (db: Db, id: string): Promise<Role | undefined> => roles.find(db, { id });

/** All roles, ordered by name; a cloud has few. */
export const listRoles = (db: Db): Promise<Role[]> => roles.list(db, { sort: ['name'] });

/** All implications; a cloud has few. */
export const listImplications = (db: Db): Promise<Implication[]> => implications.list(db);

/** @throws the driver's error of `isDuplicate` if the implication exists */
export async function insertImplication(db: Db, implication: Implication): Promise<void> {
  await implications.insert(db, implication);
}

/** Inserts the implications that do not exist yet. */
export const ensureImplications = (db: Db, all: readonly Implication[]): Promise<void> =>
  implications.ensure(db, all);

export const hasImplication = (db: Db, implication: Implication): Promise<boolean> =>
  implications.exists(db, implication);

/** Deletes an implication, and returns whether it existed. */
export const deleteImplication = async (db: Db, implication: Implication): Promise<boolean> =>
  (await implications.remove(db, implication)) > 0;
