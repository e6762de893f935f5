// For whom work is done, and with what: handlers make it of a request, other services of their own.
import type { Micros } from '../../../kernel/clock.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** Someone as the rules of the Network see them. */
export interface Actor {
  readonly projectId: string | undefined;
  /** Sees and may do everything. */
  readonly isAdmin: boolean;
  /** Another service, which sees everything too. */
  readonly isService: boolean;
}

/** A piece of work in a transaction. */
export interface Work {
  readonly db: Db;
  readonly now: Micros;
  /** Which try at the transaction this is. */
  readonly attempt: number;
  readonly actor: Actor;
}

/** Who sees what belongs to others. */
export const seesAll = ({ isAdmin, isService }: Actor): boolean => isAdmin || isService;

/** The same work, done by the Network on its own behalf. */
export const elevated = (work: Work): Work => ({ ...work, actor: { ...work.actor, isAdmin: true } });
