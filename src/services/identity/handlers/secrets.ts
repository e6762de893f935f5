// Hashing takes milliseconds, in which a transaction would keep everyone else waiting: so it is done before one is opened.
import { newSecret } from '../../../kernel/ids.ts';
import { hashPassword } from '../domain/identity/passwords.ts';
import type { Call, Step } from '../../../kernel/model.ts';
import type { IdentityRoute } from '../call.ts';

/** A secret that came in the body, or was made up for it. */
export interface Hashed {
  readonly secret: string;
  readonly hash: string;
}

const hashed = Symbol('the secret of the body');

/** A step for routes that say with `secret` under which noun and name the body has one; an empty one may be made up. */
export const hashSecrets: Step = async (call) => {
  const place = (call.route as IdentityRoute).secret;
  if (!place) return;
  const body = call.body as Record<string | symbol, unknown>;
  const given = (body[place.noun] as Record<string, unknown> | undefined)?.[place.name];
  const secret = place.madeUp ? given || newSecret(64) : given;
  if (typeof secret === 'string') body[hashed] = { secret, hash: await hashPassword(secret) };
};

/** What `hashSecrets` found; undefined where the body had none. */
export const hashedSecret = (call: Call): Hashed | undefined => (call.body as Record<symbol, Hashed | undefined>)[hashed];
