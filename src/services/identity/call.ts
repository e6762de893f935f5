// A request to Identity, and a route of its table.
import type { Call, Route } from '../../kernel/model.ts';
import type { IdentityVersion } from './versions.ts';

/** The secret in a body: the noun of the resource, and the name of the attribute. */
export interface SecretPlace {
  readonly noun: string;
  readonly name: string;
  /** Whether one is generated where the body has none. */
  readonly generated?: boolean;
}

export interface IdentityRoute extends Route<IdentityVersion> {
  /**
   * The noun of a schema that upstream checks with its older validator, which words refusals
   * differently.
   */
  readonly oldWording?: string;
  /** The secret in the body, which is hashed before the transaction begins. */
  readonly secret?: SecretPlace;
}

export interface IdentityCall extends Call<IdentityVersion> {
  route: IdentityRoute;
}
