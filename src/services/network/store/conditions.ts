// Conditions of lists: what a project sees, and filters that are more than the value of an
// attribute.
import type { Db } from '../../../kernel/db/database.ts';
import type { Condition } from '../../../kernel/db/listing.ts';
import { visibleNetworks } from './sharing.ts';

/** Resources on networks that are external, or are not. */
export const onExternalNetworks =
  (db: Db, owner: string, isExternal: boolean): Condition =>
  (query) =>
    void query.whereIn(
      `${owner}.network_id`,
      db('network_networks')
        .select('id')
        .where({ router_external: Number(isExternal) }),
    );

/** Subnets that a project sees: its own, and those of the networks that it sees. */
export const visibleSubnets =
  (db: Db, projectId: string): Condition =>
  (query) => {
    const networks = db('network_networks').select('id');
    visibleNetworks(db, projectId)(networks);
    void query.where(
      (any) => void any.where({ project_id: projectId }).orWhereIn('network_id', networks),
    );
  };

/** Ports that a project sees: its own, and all on its networks. */
export const visiblePorts =
  (db: Db, projectId: string): Condition =>
  (query) => {
    const networks = db('network_networks').select('id').where({ project_id: projectId });
    void query.where(
      (any) => void any.where({ project_id: projectId }).orWhereIn('network_id', networks),
    );
  };

/** Security group rules that a project sees: its own, and those of its groups. */
export const visibleRules =
  (db: Db, projectId: string): Condition =>
  (query) => {
    const groups = db('network_security_groups').select('id').where({ project_id: projectId });
    void query.where(
      (any) => void any.where({ project_id: projectId }).orWhereIn('security_group_id', groups),
    );
  };

/** Resources of a project. */
export const ofProject =
  (projectId: string): Condition =>
  (query) =>
    void query.where({ project_id: projectId });

/** Resources that were changed at or after a time. */
export const changedSince =
  (time: number): Condition =>
  (query) =>
    void query.where('updated_at', '>=', time);

/** Resources with a time in one of these seconds: clients see times in whole seconds. */
export const atSecond =
  (owner: string, column: string, times: readonly number[]): Condition =>
  (query) =>
    void query.where((any) => {
      for (const time of times)
        void any.orWhereBetween(`${owner}.${column}`, [time, time + 999_999]);
    });
