// Creates contexts: for jobs, for a service that acts for itself, and for operations across
// databases. Functions pass a context on as a whole.
import type { Caller } from './auth/caller.ts';
import type { Policy } from './oslo/policy.ts';
import type { Micros } from './clock.ts';
import type { Database, Db } from './db/database.ts';
import {
  hasNote,
  inSavepoint,
  isInDatabase,
  runStatement,
  serialize,
  transact,
} from './db/transaction.ts';
import { newRequestId } from './ids.ts';
import type { Actor, ServiceDefinition, Cloud, Region, Service, Context } from './model.ts';

/** The actor of requests without a token. */
export const anonymous: Actor = {
  userId: '',
  projectId: undefined,
  roles: [],
  isAdmin: false,
  isService: false,
  credentials: { roles: [] },
};

/** The cloud itself, which seeds databases, runs jobs, and acts for services. */
export const systemActor: Actor = {
  userId: '',
  projectId: undefined,
  roles: ['admin', 'service'],
  isAdmin: true,
  isService: true,
  credentials: { roles: ['admin', 'service'], system_scope: 'all' },
};

/**
 * The caller as an actor of a service. A service without a rule `context_is_admin` has no
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

/** A context of the cloud itself, in a region or in the central database. */
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
 * A copy of a context with other fields, such as another transaction, actor or time. It is never a
 * Call, so calls to other services start from the prefix of the catalog.
 */
export const contextWith = (context: Context, fields: Partial<Context>): Context => {
  const { cloud, region, db, now, attempt, actor, requestId } = context;
  return { cloud, region, db, now, attempt, actor, requestId, ...fields };
};

/** The same context with the rights of an administrator, for a service that acts for itself. */
export const elevated = (context: Context): Context =>
  context.actor.isAdmin ? context : { ...context, actor: { ...context.actor, isAdmin: true } };

/**
 * The lock that serializes writes to the central database. They are few and short, and almost every
 * one depends on rows that it only reads (users, projects, roles and domains refer to each other).
 */
const centralLock = 'central';

/** Acquires the lock of the central database. Call it first in a transaction. */
export const acquireCentralLock = (db: Db): Promise<void> => serialize(db, centralLock);

/** The lock that the requests of a service acquire before they write, if any. */
export const lockOf = ({ database, lock }: ServiceDefinition): string | undefined =>
  database === 'central' ? centralLock : lock;

/**
 * Runs a function in a transaction of its own in the central database. It stays committed if the
 * caller rolls back: write only what is harmless without the rest, and document how it is cleaned
 * up.
 */
export async function inCentralTransaction<T>(
  context: Context,
  run: (context: Context) => Promise<T>,
): Promise<T> {
  const { cloud } = context;
  let transaction = cloud.central.db;
  const result = await transact(cloud.central.db, async (db, attempt) => {
    transaction = db;
    await acquireCentralLock(db);
    return run({ ...context, db, attempt });
  });
  if (hasNote(transaction, 'has written a shared value')) cloud.sharedState.invalidate();
  if (hasNote(transaction, 'has changed a job')) cloud.centralJobs.wake();
  return result;
}

/**
 * The context for reading the central database: within the transaction of a central service, or
 * outside of any transaction.
 */
export const centralContext = (context: Context): Context =>
  isInDatabase(context.db, context.cloud.central)
    ? context
    : contextWith(context, { db: context.cloud.central.db });

/**
 * Writes to the central database: within the transaction of a central service, or in one of its
 * own.
 */
export const writeInCentral = <T>(
  context: Context,
  write: (central: Context) => Promise<T>,
): Promise<T> =>
  context.db.isTransaction && isInDatabase(context.db, context.cloud.central)
    ? write(context)
    : inCentralTransaction(context, write);

/**
 * Writes to the central database with one statement that depends on nothing but its own row, and
 * needs no lock: within the transaction of a central service, or outside of any.
 */
export const writeRowInCentral = <T>(
  context: Context,
  write: (central: Context) => Promise<T>,
): Promise<T> =>
  context.db.isTransaction && isInDatabase(context.db, context.cloud.central)
    ? write(context)
    : runStatement(context.cloud.central.db, (db) => write(contextWith(context, { db })));

/**
 * Runs a function in a transaction of its own in a region. The caller must not be in a transaction
 * (a job that spans databases is not): a central transaction that waits for a region can deadlock
 * with a request of the region that waits for the central database.
 */
export async function inRegionTransaction<T>(
  context: Context,
  region: Region,
  run: (context: Context) => Promise<T>,
): Promise<T> {
  let transaction = region.database.db;
  const result = await transact(region.database.db, (db, attempt) => {
    transaction = db;
    return run({ ...context, region, db, attempt });
  });
  if (hasNote(transaction, 'has changed a job')) region.jobs.wake();
  return result;
}

/** The database of a service: the region's or the central one. */
export const databaseOf = (
  { central }: Cloud,
  { definition }: Service,
  region: Region,
): Database => (definition.database === 'region' ? region.database : central);

/**
 * Runs a function in a savepoint. If it throws, all of its changes are undone, and the error is
 * returned. Conflicts with other transactions are thrown all the same, because the whole
 * transaction has to run again.
 */
export async function attempt<T>(
  context: Context,
  run: (context: Context) => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: Error }> {
  const tried = await inSavepoint(context.db, (db) => run(contextWith(context, { db })));
  if ('value' in tried) return tried;
  const { error } = tried;
  if (!(error instanceof Error)) throw error;
  return { error };
}
