// The rules for new passwords that the settings make: their form, their history, and when they
// expire. Upstream: keystone/identity/backends/sql_model.py, keystone/common/validation.
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { badRequest, unauthorized } from '../../../../kernel/errors.ts';
import type { User } from '../../model.ts';
import type { Settings } from '../settings.ts';
import { passwordMatcher } from './password-patterns.ts';
import { passwordMatches } from './passwords.ts';

const DAY: Micros = 86_400 * SECOND;

/** @throws 400 if a new password does not match the expression of the settings */
export function checkRequirements(settings: Settings, password: unknown): void {
  const { passwordRegex, passwordRegexDescription } = settings;
  if (!passwordRegex) return;
  if (typeof password !== 'string')
    throw badRequest('Password validation error: Password must be a string type.');
  if (!matchesExpression(passwordRegex, password))
    throw badRequest(
      `The password does not match the requirements: ${passwordRegexDescription ?? 'None'}.`,
    );
}

/** @throws 400 for an invalid expression, which only an import can bring */
function matchesExpression(expression: string, password: string): boolean {
  try {
    return passwordMatcher(expression)(password);
  } catch {
    throw badRequest(
      'Password validation error: Unable to validate password due to invalid configuration.',
    );
  }
}

/** @throws 400 if a user has had the new password among the last ones */
export async function checkHistory(
  { uniqueLastPasswordCount: count }: Settings,
  { passwordHash, previousHashes }: User,
  password: string,
): Promise<void> {
  if (!count) return;
  for (const hash of [...(previousHashes ?? []), passwordHash].slice(-count)) {
    if (await passwordMatches(hash, password))
      throw badRequest(
        'The new password cannot be identical to a previous password. The total number which ' +
          `includes the new password must be unique is ${count}.`,
      );
  }
}

/** @throws 400 if a user chose the password too recently to change it again */
export function checkAge(
  { minimumPasswordAge: days }: Settings,
  { passwordChosenAt }: User,
  now: Micros,
): void {
  const left = (passwordChosenAt ?? 0) + days * DAY - now;
  if (passwordChosenAt === null || left <= 0) return;
  throw badRequest(
    'You cannot change your password at this time due to the minimum password age. Once you ' +
      `change your password, it must be used for ${days} day(s) before it can be changed. Please ` +
      `try again in ${Math.floor(left / DAY)} day(s) or contact your administrator to reset your ` +
      'password.',
  );
}

type PasswordFields = Pick<
  User,
  'passwordHash' | 'previousHashes' | 'passwordExpiresAt' | 'passwordChosenAt'
>;

/**
 * What a user stores of a new password.
 * @param user with the options that apply to the new password
 * @param chooser who chose the password
 */
export function newPassword(
  settings: Settings,
  { passwordHash, previousHashes, options }: Omit<User, 'passwordExpiresAt' | 'passwordChosenAt'>,
  newHash: string | null,
  now: Micros,
  chooser: 'user' | 'administrator',
): PasswordFields {
  const before = [...(previousHashes ?? []), ...(passwordHash === null ? [] : [passwordHash])];
  const { uniqueLastPasswordCount, passwordExpiresDays, changePasswordUponFirstUse } = settings;
  const expires = passwordExpiresDays !== null && options[exemption] !== true;
  const expiresAt = expires ? wholeSecond(now + passwordExpiresDays * DAY) : null;
  const isUsedFirst =
    changePasswordUponFirstUse &&
    chooser === 'administrator' &&
    newHash !== null &&
    options['ignore_change_password_upon_first_use'] !== true;
  return {
    passwordHash: newHash,
    // Upstream keeps one password even if none has to differ.
    previousHashes: before.slice(-Math.max(1, uniqueLastPasswordCount)),
    passwordExpiresAt: isUsedFirst ? now : expiresAt,
    passwordChosenAt: chooser === 'user' ? now : null,
  };
}

const exemption = 'ignore_password_expiry';

const wholeSecond = (time: Micros): Micros => time - (time % SECOND);

/** @throws 401 if the password of a user has expired */
export function refuseExpired({ id, passwordExpiresAt, options }: User, now: Micros): void {
  if (passwordExpiresAt === null || now < passwordExpiresAt || options[exemption] === true) return;
  throw unauthorized(`The password is expired and needs to be changed for user: ${id}.`);
}
