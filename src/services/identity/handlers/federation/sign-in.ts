// Signs users in by the assertion of an identity provider. Upstream: keystone/api/os_federation.py.
import { reply } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import { signIn } from '../../domain/auth/sign-in.ts';
import { signedRequest } from '../oauth/tokens.ts';
import { tokenBody } from '../auth/tokens.ts';

/**
 * GET and POST /v3/OS-FEDERATION/identity_providers/{identity_provider_id}/protocols/{protocol_id}/auth.
 * The name of the protocol is the method of the sign-in.
 */
export async function authenticate(call: Call): Promise<Reply> {
  const { identity_provider_id: provider, protocol_id: protocol } = call.params;
  const identity = {
    methods: [protocol!],
    [protocol!]: { identity_provider: provider, protocol },
  };
  const headers = { receiptId: '', signed: signedRequest(call) };
  const token = await signIn(call, { identity: identity as never }, headers);
  return reply(201, await tokenBody(call, token), { 'x-subject-token': token.id });
}
