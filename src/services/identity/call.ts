// The kinds of request and route that Identity has.
import type { Call, Route } from '../../kernel/model.ts';
import type { IdentityVersion } from './versions.ts';

/** The secret in a body: the noun of the resource, and the name of the attribute. */
export interface SecretField {
  readonly noun: string;
  readonly name: string;
  /** Whether a secret is generated if the body has none. */
  readonly generated?: boolean;
}

export interface IdentityRoute extends Route<IdentityVersion> {
  /**
   * The root of the body's schema, if upstream checks it with its older validator, which words
   * errors differently.
   */
  readonly legacySchemaRoot?: string;
  /** Whether the handler checks the body itself, because upstream does so after the policy. */
  readonly checksBody?: boolean;
  /** The secret in the body, which is hashed before the transaction begins. */
  readonly secret?: SecretField;
}

export interface IdentityCall extends Call<IdentityVersion> {
  route: IdentityRoute;
}
