// Issues, validates and revokes tokens.
import { SECOND } from '../../../../kernel/clock.ts';
import { notFound } from '../../../../kernel/errors.ts';
import { noContent, ok, reply } from '../../../../kernel/http/reply.ts';
import { isTrue } from '../../../../kernel/oslo/booleans.ts';
import { signIn, type AuthRequest } from '../../domain/auth/sign-in.ts';
import { requireToken, revokeToken } from '../../domain/auth/tokens.ts';
import { listServiceProviders } from '../../store/federation/service-providers.ts';
import { loadSettings } from '../../domain/settings.ts';
import { readCatalog, type CatalogSubject } from '../../domain/catalog/token-catalog.ts';
import type { Token } from '../../model.ts';
import { expecting } from '../../domain/refusals.ts';
import { tokenView } from '../../views/auth/tokens.ts';
import { catalogView } from '../../views/catalog/catalog.ts';
import { signedRequest } from '../oauth/tokens.ts';
import { enforce } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** POST /v3/auth/tokens */
export async function create(call: Call): Promise<Reply> {
  const { auth } = call.body as { auth?: AuthRequest };
  if (!auth || !Object.keys(auth).length) throw expecting('auth', 'request body');
  const receipt = call.headers['openstack-auth-receipt'];
  const headers = {
    receiptId: typeof receipt === 'string' ? receipt : '',
    signed: signedRequest(call),
  };
  const token = await signIn(call, auth, headers);
  return reply(201, await tokenBody(call, token), { 'x-subject-token': token.id });
}

/** GET and HEAD /v3/auth/tokens */
export async function show(call: Call): Promise<Reply> {
  const rule = call.method === 'HEAD' ? 'check_token' : 'validate_token';
  const allowsExpired = isTrue(call.query.first('allow_expired'));
  const window = allowsExpired ? (await loadSettings(call)).allowExpiredWindow * SECOND : 0;
  const token = await subject(call, rule, window);
  return ok(await tokenBody(call, token), { 'x-subject-token': token.id });
}

/** DELETE /v3/auth/tokens */
export async function remove(call: Call): Promise<Reply> {
  await revokeToken(call, await subject(call, 'revoke_token', 0));
  return noContent();
}

/** The body of a token. A scoped token has a catalog, unless the query has `nocatalog`. */
export async function tokenBody(call: Call, token: Token): Promise<object> {
  const withCatalog = token.scope !== undefined && !call.query.has('nocatalog');
  return tokenView(
    token,
    withCatalog ? catalogView(call, await readCatalog(call.db, catalogSubject(token))) : undefined,
    await listServiceProviders(call.db, { enabled: true }),
  );
}

/** A token for a trust has the trustor's catalog. */
const catalogSubject = ({ userId, project, trust }: Token): CatalogSubject => ({
  userId: trust?.trustorUserId ?? userId,
  projectId: project?.id,
});

/**
 * The token in X-Subject-Token. An invalid token is a 404 before policy is enforced, as upstream.
 */
async function subject(call: Call, rule: string, window: number): Promise<Token> {
  const id = call.headers['x-subject-token'];
  const token = typeof id === 'string' && id ? await requireToken(call, id, window) : undefined;
  if (token) checkAccessRuleSupport(call, token);
  enforce(call, rule, token ? { token } : {});
  if (!token) throw notFound('No token in the request');
  return token;
}

/**
 * Validates a token with access rules only for clients that declare that they enforce them.
 * Upstream: token/provider.py.
 * @throws 404
 */
function checkAccessRuleSupport(call: Call, { applicationCredential }: Token): void {
  if (!applicationCredential?.accessRules.length) return;
  const isSupported = Number(call.headers['openstack-identity-access-rules'] ?? 0) >= 1;
  if (!isSupported) throw notFound('Failed to validate token');
}
