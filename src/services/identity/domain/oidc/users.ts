// The users of OpenID providers for tests.
import { writeInCentral } from '../../../../kernel/context.ts';
import { badRequest, notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import * as store from '../../store/oidc/users.ts';
import type { OidcUser } from '../../model.ts';
import { hashPassword } from '../identity/passwords.ts';

/** A user in a request. */
export interface NewOidcUser extends Omit<OidcUser, 'passwordHash'> {
  readonly password: string;
}

/** Creates a user, or replaces it. @throws 400 */
export async function setOidcUser(
  context: Context,
  { issuer, name, password, claims }: NewOidcUser,
): Promise<OidcUser> {
  if (issuer.length > 64 || name.length > 255)
    throw badRequest('The name of a provider has at most 64 characters, that of a user 255.');
  const user: OidcUser = { issuer, name, passwordHash: await hashPassword(password), claims };
  await writeInCentral(context, ({ db }) => store.setOidcUser(db, user));
  return user;
}

/** Deletes a user. @throws 404 */
export async function deleteOidcUser(
  context: Context,
  issuer: string,
  name: string,
): Promise<void> {
  const isDeleted = await writeInCentral(context, ({ db }) =>
    store.deleteOidcUser(db, issuer, name),
  );
  if (!isDeleted) throw notFound(`The provider ${issuer} has no user ${name}.`);
}
