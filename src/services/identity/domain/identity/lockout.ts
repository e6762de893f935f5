// Locks accounts after wrong passwords, if the settings say so. Upstream:
// keystone/identity/backends/sql.py.
import { SECOND } from '../../../../kernel/clock.ts';
import { writeInCentral } from '../../../../kernel/context.ts';
import { unauthorized } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { User } from '../../model.ts';
import {
  deleteFailures,
  findFailures,
  saveFailures,
  type FailedSignIns,
} from '../../store/identity/failed-sign-ins.ts';
import { unauthenticated } from '../refusals.ts';
import { loadSettings, type Settings } from '../settings.ts';
import { recordSignIn } from './inactivity.ts';
import { refuseExpired } from './password-rules.ts';
import { passwordMatches } from './passwords.ts';

/**
 * Checks the password of a user. A wrong one counts towards the lockout even though the request
 * fails.
 * @param context outside of a transaction
 * @param evenExpired whether an expired password is good enough
 * @throws 401 if the account is locked, or the password is wrong or has expired
 */
export async function checkPassword(
  context: Context,
  user: User,
  password: string,
  { evenExpired = false } = {},
): Promise<void> {
  const settings = await loadSettings(context);
  const counts = settings.lockoutFailureAttempts !== null;
  const failed = counts ? await findFailures(context.db, user.id) : undefined;
  if (failed && isLocked(failed, settings, user, context.now))
    throw unauthorized(`The account is locked for user: ${user.id}.`);
  const matches = await passwordMatches(user.passwordHash, password);
  if (counts && !matches) await recordFailure(context, user, settings);
  if (!matches) throw unauthenticated();
  if (!evenExpired) refuseExpired(user, context.now);
  if (failed) await writeInCentral(context, ({ db }) => deleteFailures(db, user.id));
  await recordSignIn(context, user);
}

function isLocked(
  { count, lastAt }: FailedSignIns,
  { lockoutFailureAttempts, lockoutDuration }: Settings,
  { options }: User,
  now: number,
): boolean {
  if (options['ignore_lockout_failure_attempts'] === true) return false;
  if (lockoutFailureAttempts === null || count < lockoutFailureAttempts) return false;
  return lockoutDuration === null || now < lastAt + lockoutDuration * SECOND;
}

/** Counts a wrong password; the first one again if an earlier lock has ended. */
const recordFailure = (context: Context, { id }: User, settings: Settings): Promise<void> =>
  writeInCentral(context, async ({ db, now }) => {
    const failed = await findFailures(db, id);
    const { lockoutFailureAttempts: most, lockoutDuration: duration } = settings;
    const hasEnded =
      failed &&
      duration !== null &&
      failed.count >= most! &&
      now >= failed.lastAt + duration * SECOND;
    const count = failed && !hasEnded ? failed.count + 1 : 1;
    await saveFailures(db, { userId: id, count, lastAt: now });
  });
