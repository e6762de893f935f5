// Hashing the secrets of request bodies. It takes milliseconds and would block other writers, so a
// step does it before the transaction begins.
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
 * The step for routes with `secret`. It hashes the secret of the body, and generates one where the
 * route says so.
 */
export const hashSecrets: Step = async (call) => {
  const place = (call.route as IdentityRoute).secret;
  if (!place) return;
  const body = call.body as Record<string | symbol, unknown>;
  const given = (body[place.noun] as Record<string, unknown> | undefined)?.[place.name];
  const secret = place.generated ? given || newSecret(64) : given;
  if (typeof secret === 'string') body[hashed] = { secret, hash: await hashPassword(secret) };
};

/** The secret that `hashSecrets` has hashed; undefined where the body has none. */
export const hashedSecret = (call: Call): HashedSecret | undefined =>
  (call.body as Record<symbol, HashedSecret | undefined>)[hashed];
