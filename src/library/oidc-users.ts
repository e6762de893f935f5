// The users of OpenID providers, with which tests sign in by federation.
import type { Connection, Input } from './connection.ts';
import type { OidcUser } from './contract.ts';

/** The users of the OpenID providers of a cloud. Any name is a provider. */
export class CloudOidcUsers {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the users of a provider, sorted by name. */
  async list(issuer: string): Promise<readonly OidcUser[]> {
    return (await this.#connection.call('oidc_users:list', { path: { issuer } })).users;
  }

  /** Creates a user with a password and claims, or replaces it. */
  async set(
    issuer: string,
    name: string,
    user: Input<'oidc_users:update'>['body'],
  ): Promise<OidcUser> {
    const input = { path: { issuer, name }, body: user };
    return (await this.#connection.call('oidc_users:update', input)).user;
  }

  /** Deletes a user. */
  async delete(issuer: string, name: string): Promise<void> {
    await this.#connection.call('oidc_users:delete', { path: { issuer, name } });
  }
}
