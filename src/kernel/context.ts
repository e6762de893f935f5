// Making Work: for a request, for a due job, for a service on its own behalf, and across databases.
// It is handed on whole.
import type { Caller } from './auth/caller.ts';
import type { Policy } from './oslo/policy.ts';
import type { Micros } from './clock.ts';
import type { Database, Db } from './db/database.ts';
import { isInDatabase, acquireLock, transact } from './db/transaction.ts';
import { newRequestId } from './ids.ts';
import type { Actor, ServiceDefinition, Cloud, Region, Service, Context } from './model.ts';

/** Nobody: who calls without a token. */
export const anonymous: Actor = {
  userId: '',
  projectId: undefined,
  roles: [],
  isAdmin: false,
  isService: false,
  credentials: { roles: [] },
};

/** The cloud itself: seeds, jobs, and what a service does on its own behalf. */
export const systemActor: Actor = {
  userId: '',
  projectId: undefined,
  roles: ['admin', 'service'],
  isAdmin: true,
  isService: true,
  credentials: { roles: ['admin', 'service'], system_scope: 'all' },
};

/**
 * A caller as a service sees them. A service without a rule `context_is_admin` knows no
 * administrators.
 */
export const actorOf = (
  { userId, projectId, roles, credentials }: Caller,
  policy: Policy,
): Actor => ({
  userId,
  projectId,
  roles,
  isAdmin: policy.allows('context_is_admin', credentials, {}),
  isService: roles.includes('service'),
  credentials,
});

/** Work of the cloud itself in a region, or in the central database. */
export const systemContext = (
  cloud: Cloud,
  region: Region,
  db: Db,
  now: Micros,
  attempt = 1,
): Context => ({
  cloud,
  region,
  db,
  now,
  attempt,
  actor: systemActor,
  requestId: newRequestId(),
});

/**
 * The same work in another database or transaction, for someone else, or at another time. The
 * region's services are asked with nothing lost.
 */
export const contextWith = (context: Context, fields: Partial<Context>): Context => {
  const { cloud, region, db, now, attempt, actor, requestId } = context;
  return { cloud, region, db, now, attempt, actor, requestId, ...fields };
};

/** The same work, done by the service on its own behalf: nobody's rights are asked. */
export const elevated = (context: Context): Context =>
  context.actor.isAdmin ? context : { ...context, actor: { ...context.actor, isAdmin: true } };

/**
 * Writes to the central database are done one after the other: they are few and short, and almost
 * each rests on rows that it only reads (users, projects, roles, domains, all of which refer to
 * each other).
 */
const centralLock = 'central';

/** Takes the turn of the central database. It comes first in a transaction. */
export const acquireCentralLock = (db: Db): Promise<void> => acquireLock(db, centralLock);

/** The turn that the requests of a service take before they write, if any. */
export const lockOf = ({ database: home, lock: turn }: ServiceDefinition): string | undefined =>
  home === 'central' ? centralLock : turn;

/**
 * Does something in the central database, in a transaction of its own: it is kept even where the
 * work that asked is undone. Write there first what may be left over harmlessly, and say how a half
 * is cleaned up.
 */
export async function inCentralTransaction<T>(
  context: Context,
  run: (context: Context) => Promise<T>,
): Promise<T> {
  const { cloud } = context;
  const done = await transact(cloud.central.db, async (db, attempt) => {
    await acquireCentralLock(db);
    return run({ ...context, db, attempt });
  });
  cloud.sharedState.invalidate();
  return done;
}

/**
 * The work on the central database, to read: within the transaction of a central service, beside
 * that of a region's.
 */
export const centralContext = (context: Context): Context =>
  isInDatabase(context.db, context.cloud.central)
    ? context
    : contextWith(context, { db: context.cloud.central.db });

/**
 * Writes in the central database: within the transaction of a central service, or else in one of
 * its own.
 */
export const writeInCentral = <T>(
  context: Context,
  write: (central: Context) => Promise<T>,
): Promise<T> =>
  context.db.isTransaction && isInDatabase(context.db, context.cloud.central)
    ? write(context)
    : inCentralTransaction(context, write);

/**
 * Does something in a region, in a transaction of its own. Only work that is in no transaction may
 * ask, such as a spanning job: a central transaction that waits for a region would wait for a
 * region's request that waits for the central database.
 */
export async function inRegionTransaction<T>(
  context: Context,
  region: Region,
  run: (context: Context) => Promise<T>,
): Promise<T> {
  const done = await transact(region.database.db, (db, attempt) =>
    run({ ...context, region, db, attempt }),
  );
  region.jobs.wake();
  return done;
}

/** The database of a service: the region's, or the central one. */
export const databaseOf = (
  { central }: Cloud,
  { definition }: Service,
  region: Region,
): Database => (definition.database === 'region' ? region.database : central);
