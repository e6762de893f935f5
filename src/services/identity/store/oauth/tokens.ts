// The tables of OAuth request tokens and access tokens.
import { jsonTexts, micros, nullable, text } from '../../../../kernel/db/columns.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { retryOnConstraint } from '../../../../kernel/db/errors.ts';
import type { ApiError } from '../../../../kernel/errors.ts';
import { Table } from '../../../../kernel/db/table.ts';
import type { AccessToken, RequestToken } from '../../model.ts';

const columns = {
  id: text,
  secret: text,
  consumerId: text,
  projectId: text,
  roleIds: jsonTexts(),
  expiresAt: nullable(micros),
};

const requestTokens = new Table<RequestToken>('identity_request_tokens', {
  ...columns,
  verifier: nullable(text),
  userId: nullable(text),
});

const accessTokens = new Table<AccessToken>('identity_access_tokens', {
  ...columns,
  userId: text,
});

/** Retries if the consumer has just been deleted, and then returns `refusal`. */
export async function insertRequestToken(
  db: Db,
  token: RequestToken,
  refusal: () => ApiError,
): Promise<void> {
  await retryOnConstraint(requestTokens.insert(db, token), refusal);
}

export async function updateRequestToken(db: Db, token: RequestToken): Promise<void> {
  await requestTokens.update(db, { id: token.id }, token);
}

/** Deletes a request token, and returns whether it existed. */
export const deleteRequestToken = async (db: Db, id: string): Promise<boolean> =>
  (await requestTokens.remove(db, { id })) > 0;

export const findRequestToken = (db: Db, id: string): Promise<RequestToken | undefined> =>
  requestTokens.find(db, { id });

/** Retries if the consumer has just been deleted, and then returns `refusal`. */
export async function insertAccessToken(
  db: Db,
  token: AccessToken,
  refusal: () => ApiError,
): Promise<void> {
  await retryOnConstraint(accessTokens.insert(db, token), refusal);
}

export async function deleteAccessToken(db: Db, id: string): Promise<void> {
  await accessTokens.remove(db, { id });
}

export const findAccessToken = (db: Db, id: string): Promise<AccessToken | undefined> =>
  accessTokens.find(db, { id });

/** The access tokens of a user, ordered by id. */
export const listAccessTokens = (db: Db, userId: string): Promise<AccessToken[]> =>
  accessTokens.list(db, { where: { userId } });

/** Deletes the request tokens and access tokens of a user, or for a project. */
export async function deleteOAuthTokensOf(
  db: Db,
  owner: { userId: string } | { projectId: string },
): Promise<void> {
  await requestTokens.remove(db, owner);
  await accessTokens.remove(db, owner);
}
