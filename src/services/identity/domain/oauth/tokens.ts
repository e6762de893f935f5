// Request tokens, which a consumer gets and a user authorizes, and the access tokens that they are
// exchanged for. Upstream: keystone/api/os_oauth1.py and auth/plugins/oauth1.py.
import { sameSecret } from '../../../../kernel/auth/same-secret.ts';
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { bumpAuthRevision } from '../../../../kernel/db/state.ts';
import { notFound } from '../../../../kernel/errors.ts';
import { newFraction, newHexId } from '../../../../kernel/ids.ts';
import type { Context } from '../../../../kernel/model.ts';
import { findConsumer } from '../../store/oauth/consumers.ts';
import * as store from '../../store/oauth/tokens.ts';
import { findProject } from '../../store/resource/projects.ts';
import { roleIdsInScope } from '../assignment/effective-roles.ts';
import { isDelegated } from '../credential/credentials.ts';
import type { AccessToken, Consumer, RequestToken, Token } from '../../model.ts';
import { expecting, forbiddenWithoutReason, found, unauthenticated } from '../refusals.ts';
import { loadSettings } from '../settings.ts';
import {
  checkParams,
  hasSignature,
  invalid,
  isTokenId,
  oauthParams,
  requiredParam,
  type SignedRequest,
} from './signatures.ts';

/** Finds a consumer. @throws 404 */
export async function requireConsumer({ db }: Context, id: string): Promise<Consumer> {
  const consumer = await findConsumer(db, id);
  if (!consumer) throw consumerMissing();
  return consumer;
}

const consumerMissing = () => notFound('Consumer not found');

async function requireRequestToken({ db, now }: Context, id: string): Promise<RequestToken> {
  const token = await store.findRequestToken(db, id);
  if (!token) throw requestTokenMissing();
  if (token.expiresAt !== null && now > token.expiresAt) throw unauthenticated();
  return token;
}

const requestTokenMissing = () => notFound('Request token not found');

/** Finds an access token. @throws 404 */
export async function requireAccessToken({ db }: Context, id: string): Promise<AccessToken> {
  const token = await store.findAccessToken(db, id);
  if (!token) throw notFound('Access token not found');
  return token;
}

/** Creates a request token for a project, asked for by a consumer. @throws 400, 401, 404 */
export async function createRequestToken(
  context: Context,
  request: SignedRequest,
  projectId: string,
): Promise<RequestToken> {
  const { db, now } = context;
  const params = oauthParams(request);
  const consumerId = requiredParam(params, 'oauth_consumer_key');
  if (!projectId) throw expecting('Requested-Project-Id', 'request');
  found(await findProject(db, projectId), 'project', projectId);
  const consumer = await requireConsumer(context, consumerId);
  checkParams(request, params, now);
  if (!params.get('oauth_callback')) throw invalid('Missing callback URI.');
  if (!hasSignature(request, params, consumer.secret)) throw unauthenticated();
  const token: RequestToken = {
    id: newHexId(),
    secret: newHexId(),
    consumerId,
    projectId,
    roleIds: [],
    expiresAt: expiryOf(now, (await loadSettings(context)).requestTokenDuration),
    verifier: null,
    userId: null,
  };
  await store.insertRequestToken(db, token, consumerMissing);
  return token;
}

/** When a token expires; null for never. */
const expiryOf = (now: Micros, seconds: number): Micros | null =>
  seconds > 0 ? Math.floor(now / SECOND + seconds) * SECOND : null;

/** Rejects tokens of trusts, OAuth and application credentials. @throws 403 */
export function refuseDelegated(token: Token | undefined): void {
  if (isDelegated(token)) throw forbiddenWithoutReason();
}

/**
 * Authorizes a request token for a user's roles on its project.
 * @returns the verifier, which the user gives to the consumer @throws 401, 404
 */
export async function authorizeRequestToken(
  context: Context,
  id: string,
  userId: string,
  rolesOf: () => Promise<readonly string[]>,
): Promise<string> {
  const token = await requireRequestToken(context, id);
  const roleIds = [...new Set(await rolesOf())];
  const own = await roleIdsInScope(context, userId, { kind: 'project', id: token.projectId });
  if (!roleIds.every((roleId) => own.has(roleId))) throw unauthenticated();
  const verifier = newVerifier();
  await store.updateRequestToken(context.db, { ...token, userId, roleIds, verifier });
  return verifier;
}

/** Letters and digits without those that people confuse. */
const verifierLetters = 'abcdefghkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

const newVerifier = (): string =>
  Array.from(
    { length: 8 },
    () => verifierLetters[Math.floor(newFraction() * verifierLetters.length)],
  ).join('');

/** Exchanges an authorized request token for an access token. @throws 400, 401, 404 */
export async function createAccessToken(
  context: Context,
  request: SignedRequest,
): Promise<AccessToken> {
  const { db, now } = context;
  const params = oauthParams(request);
  const consumerId = requiredParam(params, 'oauth_consumer_key');
  const id = requiredParam(params, 'oauth_token');
  const verifier = requiredParam(params, 'oauth_verifier');
  const requested = await requireRequestToken(context, id);
  checkParams(request, params, now);
  if (!isTokenId(id)) throw invalid('Invalid resource owner key format.');
  if (verifier.length !== 8 || Array.from(verifier).some((sign) => !verifierLetters.includes(sign)))
    throw invalid('Invalid verifier format.');
  const consumer = await findConsumer(db, consumerId);
  const isValid =
    consumer?.id === requested.consumerId &&
    sameSecret(requested.verifier ?? '', verifier) &&
    hasSignature(request, params, consumer.secret, requested.secret);
  if (!isValid || requested.userId === null) throw unauthenticated();
  if (!(await store.deleteRequestToken(db, id))) throw requestTokenMissing();
  const token: AccessToken = {
    id: newHexId(),
    secret: newHexId(),
    consumerId,
    projectId: requested.projectId,
    roleIds: requested.roleIds,
    expiresAt: expiryOf(now, (await loadSettings(context)).accessTokenDuration),
    userId: requested.userId,
  };
  await store.insertAccessToken(db, token, requestTokenMissing);
  return token;
}

/** The access token that a request to sign in is signed with. @throws 400, 401, 404 */
export async function signedAccessToken(
  context: Context,
  request: SignedRequest,
): Promise<AccessToken> {
  const params = oauthParams(request);
  const token = await requireAccessToken(context, requiredParam(params, 'oauth_token'));
  if (token.expiresAt !== null && context.now > token.expiresAt) throw unauthenticated();
  try {
    checkParams(request, params, context.now);
  } catch {
    throw unauthenticated();
  }
  const consumer = await findConsumer(context.db, params.get('oauth_consumer_key')!);
  if (!consumer || !hasSignature(request, params, consumer.secret, token.secret))
    throw unauthenticated();
  return token;
}

/** Deletes an access token, and ends its tokens. @throws 401 if it is of another user */
export async function deleteAccessToken(
  context: Context,
  userId: string,
  token: AccessToken,
): Promise<void> {
  if (token.userId !== userId) throw unauthenticated();
  await store.deleteAccessToken(context.db, token.id);
  await bumpAuthRevision(context.db);
}
