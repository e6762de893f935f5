// Tokens: issued for credentials, asked about, and taken back.
import { noContent, ok, reply } from '../../../../kernel/http/reply.ts';
import { notFound } from '../../../../kernel/fault.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { expecting } from '../../domain/refusals.ts';
import { validToken } from '../../domain/auth/sign-in-methods.ts';
import { signIn, type AuthRequest } from '../../domain/auth/sign-in.ts';
import { expiredWindow, type Token } from '../../domain/auth/tokens.ts';
import { revokeToken } from '../../store/auth/tokens.ts';
import { tokenView } from '../../views/auth/tokens.ts';
import { allow } from '../requests.ts';
import type { Call, Reply } from '../../../../kernel/model.ts';

/** POST /v3/auth/tokens */
export async function create(call: Call): Promise<Reply> {
  const { auth } = call.body as { auth?: AuthRequest };
  if (!auth || !Object.keys(auth).length) throw expecting('auth', 'request body');
  const token = await signIn(call.db, auth, call.now);
  return reply(201, await tokenView(call, token), { 'x-subject-token': token.id });
}

/** GET and HEAD /v3/auth/tokens */
export async function show(call: Call): Promise<Reply> {
  const rule = call.method === 'HEAD' ? 'check_token' : 'validate_token';
  const expired = /^(1|t|true|on|y|yes)$/i.test(call.query.first('allow_expired')?.trim() ?? '');
  const token = await subject(call, rule, expired ? expiredWindow : 0);
  return ok(await tokenView(call, token), { 'x-subject-token': token.id });
}

/** DELETE /v3/auth/tokens */
export async function remove(call: Call): Promise<Reply> {
  const token = await subject(call, 'revoke_token', 0);
  await revokeToken(call.db, token.auditIds[0]!, token.expiresAt, call.now - expiredWindow);
  await bumpAuthRevision(call.db);
  return noContent();
}

/** The token that the request is about. A token that is worth nothing is a 404 before the caller is looked at, as upstream. */
async function subject(call: Call, rule: string, window: number): Promise<Token> {
  const id = call.headers['x-subject-token'];
  const token = typeof id === 'string' && id ? await validToken(call.db, id, call.now, window) : undefined;
  if (token) refuseUnawareOfRules(call, token);
  allow(call, rule, token ? { token } : {});
  if (!token) throw notFound('No token in the request');
  return token;
}

/** A token bound to access rules is shown only to those who say that they heed them. Upstream: token/provider.py. */
function refuseUnawareOfRules(call: Call, { applicationCredential }: Token): void {
  if (!applicationCredential?.accessRules.length) return;
  const heeds = Number(call.headers['openstack-identity-access-rules'] ?? 0) >= 1;
  if (!heeds) throw notFound('Failed to validate token');
}
