// Hashes the secrets in request bodies. Hashing takes milliseconds and would block other writers,
// so a step does it before the transaction begins.
import { newSecret } from '../../../kernel/ids.ts';
import type { IdentityRoute } from '../call.ts';
import { hashPassword } from '../domain/identity/passwords.ts';
import type { Call, Step } from '../../../kernel/model.ts';

/** A secret from the body, or a generated one, with its hash. */
export interface HashedSecret {
  readonly secret: string;
  readonly hash: string;
}

const hashed = Symbol('the hashed secret of the body');

/**
 * The step for routes with `secret`. It hashes the secret in the body, and generates one if the
 * route requires it.
 */
export const hashSecrets: Step = async (call) => {
  const field = (call.route as IdentityRoute).secret;
  if (!field) return;
  const body = call.body as Record<string | symbol, unknown>;
  const given = (body[field.noun] as Record<string, unknown> | undefined)?.[field.name];
  const secret = field.generated ? given || newSecret(64) : given;
  if (typeof secret === 'string') body[hashed] = { secret, hash: await hashPassword(secret) };
};

/** The secret that `hashSecrets` has hashed; undefined if the body has none. */
export const hashedSecret = (call: Call): HashedSecret | undefined =>
  (call.body as Record<symbol, HashedSecret | undefined>)[hashed];
