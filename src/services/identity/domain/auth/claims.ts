// Signs and reads tokens. A token is a compact JWS with its claims.
import { newSecret } from '../../../../kernel/ids.ts';
import { loadJose } from '../../../../kernel/lazy.ts';
import type { Micros } from '../../../../kernel/clock.ts';
import type { Claims, Federation, Scope } from '../../model.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The signed claims of an unscoped token. They are a list without names, because clients send a
 * token with every request.
 */
type Unscoped = [
  userId: string,
  methods: readonly string[],
  auditIds: readonly string[],
  issuedAt: Micros,
  expiresAt: Micros,
  epochs: string,
];
type Packed = [
  ...Unscoped,
  kind?: Scope['kind'] | '',
  targetId?: string,
  applicationCredentialId?: string,
  trustId?: string,
  accessTokenId?: string,
  federation?: readonly [providerId: string, protocolId: string, groupIds: readonly string[]],
];

function packed({
  userId,
  methods,
  auditIds,
  issuedAt,
  expiresAt,
  epochs,
  scope,
  applicationCredentialId,
  accessTokenId,
  federation,
}: Claims): Packed {
  const targetId = scope && 'id' in scope ? scope.id : '';
  const unscoped: Unscoped = [userId, methods, auditIds, issuedAt, expiresAt, epochs];
  const trustId = scope && 'trustId' in scope ? scope.trustId : undefined;
  if (federation) {
    const { providerId, protocolId, groupIds } = federation;
    const parts = [scope?.kind ?? '', targetId, '', trustId ?? '', ''] as const;
    return [...unscoped, ...parts, [providerId, protocolId, groupIds]];
  }
  if (!scope) return unscoped;
  if (accessTokenId) return [...unscoped, scope.kind, targetId, '', '', accessTokenId];
  if (trustId) return [...unscoped, scope.kind, targetId, applicationCredentialId ?? '', trustId];
  return applicationCredentialId
    ? [...unscoped, scope.kind, targetId, applicationCredentialId]
    : [...unscoped, scope.kind, targetId];
}

function unpacked([
  userId,
  methods,
  auditIds,
  issuedAt,
  expiresAt,
  epochs,
  kind,
  targetId,
  applicationCredentialId,
  trustId,
  accessTokenId,
  federation,
]: Packed): Claims {
  return {
    userId,
    methods,
    auditIds,
    issuedAt,
    expiresAt,
    epochs,
    ...(kind
      ? {
          scope: {
            kind,
            ...(targetId ? { id: targetId } : {}),
            ...(trustId ? { trustId } : {}),
          } as Scope,
        }
      : {}),
    ...(applicationCredentialId ? { applicationCredentialId } : {}),
    ...(accessTokenId ? { accessTokenId } : {}),
    ...(federation ? { federation: federationOf(federation) } : {}),
  };
}

const federationOf = ([providerId, protocolId, groupIds]: NonNullable<Packed[11]>): Federation => ({
  providerId,
  protocolId,
  groupIds,
});

/** Signs the claims, and returns the token. */
export const signToken = (claims: Claims, key: Uint8Array): Promise<string> =>
  signValue(packed(claims), key);

/** Signs a JSON value, as a compact JWS. */
export async function signValue(value: unknown, key: Uint8Array): Promise<string> {
  const { CompactSign } = await loadJose();
  return new CompactSign(encoder.encode(JSON.stringify(value)))
    .setProtectedHeader({ alg: 'HS256' })
    .sign(key);
}

/** The claims of a token; undefined if this cloud did not sign it. */
export async function readToken(id: string, key: Uint8Array): Promise<Claims | undefined> {
  const value = await readSigned(id, key);
  return value === undefined ? undefined : unpacked(value as Packed);
}

/** The value that was signed; undefined if it was not signed with this key. */
export async function readSigned(id: string, key: Uint8Array): Promise<unknown> {
  try {
    const { compactVerify } = await loadJose();
    const { payload } = await compactVerify(id, key, { algorithms: ['HS256'] });
    return JSON.parse(decoder.decode(payload)) as unknown;
  } catch {
    return undefined;
  }
}

/** A new audit id: 16 random bytes in 22 characters. */
export const newAuditId = (): string => newSecret(16);
