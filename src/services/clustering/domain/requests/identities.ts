// Finding what a client names: by id, by name, or by the beginning of an id.
import { isUuidLike } from '../../../../kernel/ids.ts';
import type { ApiError } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/index.ts';
import type { Table } from '../../store/tables.ts';
import type { Node, Owner } from '../../model.ts';
import { bad, multipleChoices, notFoundHere } from '../refusals.ts';

interface Named {
  readonly id: string;
}

const seer =
  <T extends Named>(kind: string, table: Table<T>) =>
  async (
    context: Context,
    identity: string,
    refuse: (kind: string, id: string) => ApiError = notFoundHere,
  ): Promise<T> => {
    const found = await lookUp(context, table, identity);
    if (!found) throw refuse(kind, identity);
    return found;
  };

/** @returns undefined where nothing is named so. @throws 400 where several are */
async function lookUp<T extends Named>(
  context: Context,
  table: Table<T>,
  identity: string,
): Promise<T | undefined> {
  const rows = await rowsFor(context, table, identity);
  if (rows.length > 1) throw multipleChoices(identity);
  return rows[0];
}

const rowsFor = <T extends Named>(
  { db, actor }: Context,
  table: Table<T>,
  identity: string,
): Promise<T[]> =>
  table.named(
    db,
    identity,
    isUuidLike(identity),
    actor.isAdmin ? undefined : (actor.projectId ?? ''),
  );

/** @throws 404, 400 where several have the name */
export const clusterFor = seer('cluster', store.clusters);
export const nodeFor = seer('node', store.nodes);
export const profileFor = seer('profile', store.profiles);
export const policyFor = seer('policy', store.policies);
export const receiverFor = seer('receiver', store.receivers);
export const actionFor = seer('action', store.actions);

/**
 * The same where a member of a list is named: undefined where there is none, or there are several.
 */
export async function findNode(context: Context, identity: string): Promise<Node | undefined> {
  const rows = await rowsFor(context, store.nodes, identity);
  return rows.length === 1 ? rows[0] : undefined;
}

/** What a body refers to is a bad request where it is not there. */
export const specified = (kind: string, id: string): ApiError =>
  bad(`The specified ${kind} '${id}' could not be found`);
export const referenced = (kind: string, id: string): ApiError =>
  bad(`The referenced ${kind} '${id}' could not be found`);

/** The owner of what the actor makes. */
export const ownerOf = ({ actor }: Context): Owner => ({
  userId: actor.userId,
  projectId: actor.projectId ?? '',
  domainId: (actor.credentials['domain_id'] as string | undefined) ?? null,
});
