// How a consumer gets an access token: it gets a request token, which a user authorizes, and
// exchanges it. Upstream: keystone/api/os_oauth1.py.
import { created, ok } from '../../../../kernel/http/reply.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';
import type { Fields } from '../../domain/attributes.ts';
import { roleIdsOf, type RoleReference } from '../../domain/assignment/role-references.ts';
import type { SignedRequest } from '../../domain/oauth/signatures.ts';
import {
  authorizeRequestToken,
  createAccessToken,
  createRequestToken,
  refuseDelegated,
} from '../../domain/oauth/tokens.ts';
import { listRoles } from '../../store/assignment/roles.ts';
import { tokenForm } from '../../views/oauth/oauth.ts';
import { enforce, tokenOf } from '../requests.ts';

/** The request as its client has signed it. */
export const signedRequest = (call: Call): SignedRequest => ({
  method: call.method,
  url: `${call.origin}${call.prefix}${call.path}`,
  query: call.query.text,
  authorization: call.headers['authorization'],
  cookie: call.headers['cookie'],
});

const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** POST /v3/OS-OAUTH1/request_token */
export async function createRequest(call: Call): Promise<Reply> {
  const projectId = call.headers['requested-project-id'];
  const request = signedRequest(call);
  const token = await createRequestToken(call, request, String(projectId ?? ''));
  return created(tokenForm(token), form);
}

/** PUT /v3/OS-OAUTH1/authorize/{request_token_id} */
export async function authorize(call: Call): Promise<Reply> {
  enforce(call, 'authorize_request_token');
  refuseDelegated(tokenOf(call));
  const { roles = [] } = call.body as Fields & { roles?: readonly RoleReference[] };
  const verifier = await authorizeRequestToken(
    call,
    call.params['request_token_id']!,
    call.caller!.userId,
    async () => roleIdsOf(roles, await listRoles(call.db)),
  );
  return ok({ token: { oauth_verifier: verifier } });
}

/** POST /v3/OS-OAUTH1/access_token */
export async function createAccess(call: Call): Promise<Reply> {
  return created(tokenForm(await createAccessToken(call, signedRequest(call))), form);
}
