// Signs users in by the assertion of an identity provider. Upstream: keystone/api/os_federation.py.
import { reply } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { signIn } from '../../domain/auth/sign-in.ts';
import { assertedAttributes } from '../../domain/federation/attributes.ts';
import { findProtocol } from '../../store/federation/protocols.ts';
import { signedRequest } from '../oauth/tokens.ts';
import { tokenBody } from '../auth/tokens.ts';
import { requestAssertion, takesRequests } from '../saml/service-provider.ts';

/**
 * GET and POST /v3/OS-FEDERATION/identity_providers/{identity_provider_id}/protocols/{protocol_id}/auth.
 * The name of the protocol is the method of the sign-in.
 */
export async function authenticate(call: Call): Promise<Reply> {
  const { identity_provider_id: provider, protocol_id: protocol } = call.params;
  const signed = signedRequest(call);
  if (takesRequests(call) && (await lacksAssertion(call))) return requestAssertion(call);
  const identity = {
    methods: [protocol!],
    [protocol!]: { identity_provider: provider, protocol },
  };
  const token = await signIn(call, { identity: identity as never }, { receiptId: '', signed });
  return reply(201, await tokenBody(call, token), { 'x-subject-token': token.id });
}

/** Whether a request for an existing protocol has no assertion. */
async function lacksAssertion(call: Call): Promise<boolean> {
  const { identity_provider_id: providerId, protocol_id: id } = call.params;
  if (!(await findProtocol(call.db, { providerId: providerId!, id: id! }))) return false;
  const attributes = await assertedAttributes(call, signedRequest(call));
  return !Object.keys(attributes).length;
}
