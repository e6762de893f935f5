// Disables users who have not signed in for a number of days, if the settings say so. Upstream:
// User.enabled in keystone/identity/backends/sql_model.py.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { writeInCentral } from '../../../../kernel/context.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { User } from '../../model.ts';
import { updateLastActive } from '../../store/identity/users.ts';
import { loadSettings, type Settings } from '../settings.ts';

const DAY: Micros = 86_400 * SECOND;

/** The beginning of a day in UTC: upstream stores and compares dates. */
const dayOf = (time: Micros): Micros => time - (time % DAY);

/** Whether a user is enabled and not inactive. */
export function isEnabled(
  user: User,
  { disableUserAccountDaysInactive: days }: Settings,
  now: Micros,
): boolean {
  const { enabled, lastActiveAt, createdAt, options } = user;
  const since = lastActiveAt ?? createdAt;
  if (!enabled || days === null || since === null) return enabled;
  return options['ignore_user_inactivity'] === true || dayOf(now) - dayOf(since) < days * DAY;
}

/** The same with the settings of the cloud. */
export const isEnabledNow = async (
  { db, now }: Pick<Context, 'db' | 'now'>,
  user: User,
): Promise<boolean> => user.enabled && isEnabled(user, await loadSettings({ db }), now);

/** Sets the day on which a user was active last to today. */
export const activeUser = (user: User, now: Micros): User => ({
  ...user,
  lastActiveAt: dayOf(now),
});

/** Marks a user as active if it is enabled. Call it when a request creates or updates the user. */
export const renewed = <U extends Pick<User, 'enabled' | 'lastActiveAt'>>(
  user: U,
  { disableUserAccountDaysInactive: days }: Settings,
  now: Micros,
): U => (user.enabled && days !== null ? { ...user, lastActiveAt: dayOf(now) } : user);

/** Stores that a user has signed in, once a day. */
export async function recordSignIn(context: Context, user: User): Promise<void> {
  const { lastActiveAt } = activeUser(user, context.now);
  if (lastActiveAt === user.lastActiveAt) return;
  await writeInCentral(context, ({ db }) => updateLastActive(db, user.id, lastActiveAt));
}
