// Classifies the errors of the database drivers. Only this file knows their codes.
import { badRequest, ApiError, unavailable } from '../errors.ts';
import type { Db } from './database.ts';

interface DriverError extends Error {
  code?: string;
  errno?: number;
  errcode?: number;
}

// MySQL, MySQL with the key's name, SQLite unique, SQLite primary key
const duplicateCodes = new Set([1062, 1586, 2067, 1555]);
const missingValueCodes = new Set([1048, 1299]);
const foreignKeyCodes = new Set([1451, 1452, 787]);
// deadlock, lock wait, MariaDB's snapshot, group replication, SQLite busy and locked
const deadlockCodes = new Set([1213, 1205, 1020, 3101, 5, 6, 261, 262, 517]);
const tooLargePacket = 1153;
// a subquery that should return one row returns two
const guardFailureCode = 1242;
// too long, out of range, not in the character set: SQLite accepts all of them
const outOfRangeCodes = new Set([1406, 1264, 1366, tooLargePacket]);
// A database that is being dropped loses its tables first, so a missing table means unreachable.
const unreachableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'ENOENT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_ENQUEUE_AFTER_FATAL_ERROR',
  'PROTOCOL_ENQUEUE_AFTER_QUIT',
  'ER_SERVER_SHUTDOWN',
  'ER_CON_COUNT_ERROR',
  'ER_NORMAL_SHUTDOWN',
  'CUMULET_NO_RESPONSE',
  'CUMULET_CLOSED',
  'ER_CONNECTION_KILLED',
  'ER_BAD_DB_ERROR',
  'ER_NO_DB_ERROR',
  'ER_NO_SUCH_TABLE',
  'ER_UNKNOWN_COM_ERROR',
  'ER_OPTION_PREVENTS_STATEMENT',
]);

const outOfConnectionsCodes = new Set([
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_USER_LIMIT_REACHED',
]);
// SQLite full, and its shared memory; MySQL's table and disk full, error writing a file
const fullCodes = new Set([13, 4874, 1114, 1021, 1026]);
// MySQL cannot write, create or use a file: the message has the errno of the operating system
const fileCodes = new Set([3, 1004, 1005, 1006, 1030]);
// SQLite: the file is damaged, or is no database
const damagedCodes = new Set([11, 26]);
const accessDeniedCodes = new Set([
  'ER_ACCESS_DENIED_ERROR',
  'ER_ACCESS_DENIED_NO_PASSWORD_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
]);
const noResponse = 'CUMULET_NO_RESPONSE';
const closed = 'CUMULET_CLOSED';

const number = (error: DriverError): number => error.errno ?? error.errcode ?? 0;

/** Whether a write violated a unique key. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof Error && duplicateCodes.has(number(error));

/**
 * The unique key that a duplicate violated, from the database's message: its columns on SQLite, the
 * name of the index on MySQL.
 */
export const duplicateKey = (error: unknown): string =>
  /for key '([^']+)'|constraint failed: (.+)$/
    .exec((error as Error).message)
    ?.slice(1)
    .find(Boolean) ?? '';

/**
 * Whether a write violated a foreign key: it deletes a row that others refer to, or refers to a row
 * that does not exist.
 */
export const isForeignKey = (error: unknown): boolean =>
  error instanceof Error && foreignKeyCodes.has(number(error));

/** Whether a write left out a value that a column needs. */
export const isMissingValue = (error: unknown): boolean =>
  error instanceof Error && missingValueCodes.has(number(error));

/**
 * Whether the database rolled the transaction back because of a concurrent one, so that a new
 * attempt may succeed.
 */
export const isDeadlock = (error: unknown): boolean =>
  error instanceof Error &&
  (deadlockCodes.has(number(error)) || (error as DriverError).code === 'ER_LOCK_DEADLOCK');

/**
 * Whether a write violated a constraint. Code that checks before it writes gets this only if a
 * concurrent transaction has committed in between; a new attempt reads what that one wrote.
 */
export const isRefusedByConstraint = (error: unknown): boolean =>
  isDuplicate(error) || isForeignKey(error);

/** Whether the check after a guarded write has failed. */
export const isGuardFailure = (error: unknown): boolean =>
  error instanceof Error && number(error) === guardFailureCode;

/** Whether a value that the contract allows does not fit its column. */
export const isOutOfRange = (error: unknown): boolean =>
  error instanceof Error && outOfRangeCodes.has(number(error));

/**
 * Whether the database cannot be reached at the moment. An API error does not say so, even if it
 * quotes a client's words that read like a driver's.
 */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof Error &&
  !(error instanceof ApiError) &&
  (unreachableCodes.has((error as DriverError).code ?? '') ||
    error.name === 'KnexTimeoutError' ||
    (error instanceof AggregateError && error.errors.some(isUnreachable)) ||
    /closed state|Connection lost|Unable to acquire a connection|database is not open|^aborted$/i.test(
      error.message,
    ));

/** Whether the pool or the server has no free connection, although the server responds. */
const isOutOfConnections = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'KnexTimeoutError' ||
    outOfConnectionsCodes.has((error as DriverError).code ?? ''));

/**
 * Whether the database cannot be written or opened, because its disk or quota is full. An open one
 * can still be read.
 */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error &&
  (fullCodes.has(number(error)) ||
    (error as DriverError).code === 'ENOSPC' ||
    (fileCodes.has(number(error)) && /\b(?:errno|errcode|error)[: ]+28\b/i.test(error.message)) ||
    isDiskFull(error.cause));

/** Whether the file of a database is not one of SQLite, or is damaged. */
export const isDamaged = (error: unknown): boolean =>
  error instanceof Error && damagedCodes.has(number(error) & 0xff) && 'errcode' in error;

/** Whether the server has refused the user or the password, or the user's access to a database. */
export const isAccessDenied = (error: unknown): boolean =>
  error instanceof Error && accessDeniedCodes.has((error as DriverError).code ?? '');

/** The error for a statement without a result, on a server that no longer accepts connections. */
export const noResponseError = (): Error =>
  Object.assign(new Error('The database does not answer.'), { code: noResponse });

/** The error for a database that this process has closed, because its region has been dropped. */
export const closedError = (): Error =>
  Object.assign(new Error('The database has been closed.'), { code: closed });

/** The error for a statement that is larger than the server accepts, as the server names it. */
export const tooLargeError = (): Error =>
  Object.assign(new Error('The statement is larger than max_allowed_packet.'), {
    errno: tooLargePacket,
  });

const isNoResponse = (error: unknown): boolean =>
  error instanceof Error && (error as DriverError).code === noResponse;

/**
 * Another transaction changed what this one has read (as SQLSTATE 40001). The transaction rolls
 * back and runs again from its start; after the last attempt the client gets `apiError`. If
 * `lockOnRetry` is given, the next attempt begins by locking the rows that the conflict was about,
 * so that it reads what it will write to. The lock must be the first statement: a transaction on
 * MySQL takes its snapshot at its first read, so a row that is locked later is current, but all the
 * other rows are as they were at the snapshot.
 */
export class SerializationFailure extends Error {
  readonly apiError: ApiError;
  readonly lockOnRetry: ((db: Db) => Promise<unknown>) | undefined;
  constructor(error: ApiError, lockOnRetry?: (db: Db) => Promise<unknown>) {
    super(error.message);
    this.apiError = error;
    this.lockOnRetry = lockOnRetry;
  }
}

/**
 * Waits for a write. If a unique or a foreign key rejects it, another transaction has inserted or
 * deleted a row that this one does not see, so the transaction runs again.
 * @throws SerializationFailure with `refusal` on a duplicate key or a foreign key violation
 */
export async function retryOnConstraint<R>(
  write: PromiseLike<R>,
  refusal: () => ApiError,
): Promise<R> {
  try {
    return await write;
  } catch (error) {
    throw isRefusedByConstraint(error) ? new SerializationFailure(refusal()) : error;
  }
}

/** The API error that a client gets for a database error. Other errors pass through. */
export function asApiError(error: unknown): unknown {
  if (error instanceof SerializationFailure) return error.apiError;
  if (isOutOfConnections(error))
    return unavailable('All connections to the database are busy. Please try again.');
  if (isDiskFull(error))
    return new ApiError(
      507,
      'The disk of the database is full, so only reads work. Free some space, then try again.',
    );
  if (isNoResponse(error))
    return unavailable('The database does not answer. Please try again later.');
  if (isUnreachable(error))
    return unavailable('The database cannot be reached. Please try again later.');
  if (isOutOfRange(error))
    return badRequest('A value is longer or larger than the database can hold.');
  if (isDeadlock(error)) return unavailable('The database is busy. Please try again.');
  return error;
}
