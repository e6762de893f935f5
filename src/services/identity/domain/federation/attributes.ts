// The attributes of the assertion that comes with a request.
import type { Context } from '../../../../kernel/model.ts';
import type { SignedRequest } from '../oauth/signatures.ts';
import { bearerAttributes } from '../oidc/tokens.ts';
import { sessionAttributes } from '../saml/sessions.ts';
import type { Attributes } from './remote-ids.ts';

/**
 * The attributes of the token in the header Authorization, or else of the session in the header
 * Cookie. Empty without a valid one.
 */
export async function assertedAttributes(
  context: Context,
  { authorization, cookie }: Pick<SignedRequest, 'authorization' | 'cookie'>,
): Promise<Attributes> {
  const attributes = await bearerAttributes(context, authorization);
  return Object.keys(attributes).length ? attributes : sessionAttributes(context, cookie);
}
