// Finds the records that clients name by id, by name, or by the beginning of an id.
import type { ApiError } from '../../../../kernel/errors.ts';
import type { Table } from '../../../../kernel/db/table.ts';
import { isUuidLike } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Node, Owned, Owner } from '../../model.ts';
import * as store from '../../store/index.ts';
import { bad, multipleChoices, notFoundHere } from '../refusals.ts';

const finder =
  <T extends Owned>(kind: string, table: Table<T>) =>
  async (
    context: Context,
    identity: string,
    error: (kind: string, id: string) => ApiError = notFoundHere,
  ): Promise<T> => {
    const [record, ...others] = await candidates(context, table, identity);
    if (others.length) throw multipleChoices(identity);
    if (!record) throw error(kind, identity);
    return record;
  };

const candidates = <T extends Owned>(
  { db, actor }: Context,
  table: Table<T>,
  identity: string,
): Promise<T[]> =>
  store.findByIdentity(
    db,
    table,
    identity,
    isUuidLike(identity),
    actor.isAdmin ? undefined : (actor.projectId ?? ''),
  );

/** @throws 400 if several records match; 404, or the given error, if none does */
export const clusterFor = finder('cluster', store.clusters);
export const nodeFor = finder('node', store.nodes);
export const profileFor = finder('profile', store.profiles);
export const policyFor = finder('policy', store.policies);
export const receiverFor = finder('receiver', store.receivers);
export const actionFor = finder('action', store.actions);

/** Finds a node in a list of names. @returns undefined if no node, or several, match */
export async function findNode(context: Context, identity: string): Promise<Node | undefined> {
  const nodes = await candidates(context, store.nodes, identity);
  return nodes.length === 1 ? nodes[0] : undefined;
}

/** The error if a body names an unknown record: 400 instead of 404. */
export const specified = (kind: string, id: string): ApiError =>
  bad(`The specified ${kind} '${id}' could not be found`);
export const referenced = (kind: string, id: string): ApiError =>
  bad(`The referenced ${kind} '${id}' could not be found`);

/** The owner of the records that the actor creates. */
export const ownerOf = ({ actor }: Context): Owner => ({
  userId: actor.userId,
  projectId: actor.projectId ?? '',
  domainId: (actor.credentials['domain_id'] as string | undefined) ?? null,
});
