// The identity providers whose SAML assertions a cloud accepts besides its own.
import type { Connection } from './connection.ts';
import type { SamlProvider } from './contract.ts';

/** The identity providers that a cloud trusts, such as other clouds. */
export class CloudSamlProviders {
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Returns the providers, sorted by name. */
  async list(): Promise<readonly SamlProvider[]> {
    return (await this.#connection.call('saml_providers:list', {})).providers;
  }

  /** Registers a provider by its metadata in XML, or replaces it. */
  async set(name: string, metadata: string): Promise<SamlProvider> {
    const input = { path: { name }, body: { metadata } };
    return (await this.#connection.call('saml_providers:update', input)).provider;
  }

  /** Deletes a provider. */
  async delete(name: string): Promise<void> {
    await this.#connection.call('saml_providers:delete', { path: { name } });
  }
}
