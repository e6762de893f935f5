// A request of Identity, and the lines of its table.
import type { Call, Route } from '../../kernel/model.ts';
import type { IdentityVersion } from './versions.ts';

/** Where a body has a secret: under which noun, and by which name. */
export interface SecretPlace {
  readonly noun: string;
  readonly name: string;
  /** Whether one is made up where the body has none. */
  readonly madeUp?: boolean;
}

export interface IdentityRoute extends Route<IdentityVersion> {
  /** The noun of a schema whose refusals upstream words in its older way. */
  readonly oldWording?: string;
  /** The secret in the body, which is hashed before the transaction begins. */
  readonly secret?: SecretPlace;
}

export interface IdentityCall extends Call<IdentityVersion> {
  route: IdentityRoute;
}
