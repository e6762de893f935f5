// Signs users in by the assertion of an identity provider. Upstream: keystone/api/os_federation.py.
import { reply } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { signIn } from '../../domain/auth/sign-in.ts';
import { assertedAttributes } from '../../domain/federation/attributes.ts';
import type { Token } from '../../model.ts';
import { findProtocol } from '../../store/federation/protocols.ts';
import { signedRequest } from '../oauth/tokens.ts';
import { tokenBody } from '../auth/tokens.ts';
import { requestAssertion, takesRequests } from '../saml/service-provider.ts';

/**
 * GET and POST /v3/OS-FEDERATION/identity_providers/{identity_provider_id}/protocols/{protocol_id}/auth.
 */
export async function authenticate(call: Call): Promise<Reply> {
  const { identity_provider_id: provider, protocol_id: protocol } = call.params;
  if (takesRequests(call) && (await lacksAssertion(call))) return requestAssertion(call);
  const token = await federatedToken(call, provider!, protocol!, call.headers.authorization);
  return reply(201, await tokenBody(call, token), { 'x-subject-token': token.id });
}

/** Whether a request for an existing protocol has no assertion. */
async function lacksAssertion(call: Call): Promise<boolean> {
  const { identity_provider_id: providerId, protocol_id: id } = call.params;
  if (!(await findProtocol(call.db, { providerId: providerId!, id: id! }))) return false;
  const attributes = await assertedAttributes(call, signedRequest(call));
  return !Object.keys(attributes).length;
}

/**
 * An unscoped token for the user of an assertion, which is in a header Authorization. The name of
 * the protocol is the method of the sign-in.
 */
export function federatedToken(
  call: Call,
  provider: string,
  protocol: string,
  authorization: string | undefined,
): Promise<Token> {
  const identity = {
    methods: [protocol],
    [protocol]: { identity_provider: provider, protocol },
  };
  const signed = { ...signedRequest(call), authorization };
  return signIn(call, { identity: identity as never }, { receiptId: '', signed });
}
