// Imports and generates keypairs, and computes their fingerprints.
import { createHash, generateKeyPair, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { SECOND, type Micros } from '../../../kernel/clock.ts';
import { isDuplicate } from '../../../kernel/db/errors.ts';
import {
  badRequest,
  conflict,
  forbidden,
  notFound,
  type ApiError,
} from '../../../kernel/errors.ts';
import * as store from '../store/keypairs.ts';
import {
  bitString,
  octets,
  contextual,
  integer,
  objectId,
  pemOf,
  sequence,
  set,
  time,
  utf8,
} from '../../../kernel/tls/der.ts';
import { exceeds, limitsOf } from './quotas.ts';
import type { Context } from '../../../kernel/model.ts';
import type { Keypair } from '../model.ts';

export interface NewKeypair {
  readonly userId: string;
  readonly name: string;
  readonly type: Keypair['type'];
  readonly publicKey: string;
}

/**
 * Imports a public key.
 * @throws 403 if the quota is exceeded, 400 for an invalid key, 409 if the name is taken
 */
export async function importKeypair(
  { db, now, actor }: Context,
  keypair: NewKeypair,
): Promise<Keypair> {
  const { userId, name, type, publicKey } = keypair;
  const limit = (await limitsOf(db, actor.projectId ?? '', userId)).key_pairs;
  if (exceeds(limit, await store.countKeypairs(db, userId), 1))
    throw forbidden('Quota exceeded, too many key pairs.');
  const fingerprint = type === 'ssh' ? sshFingerprint(publicKey) : x509Fingerprint(publicKey);
  try {
    await store.insertKeypair(db, { ...keypair, fingerprint }, now);
  } catch (error) {
    throw isDuplicate(error) ? conflict(`Key pair '${name}' already exists.`) : error;
  }
  return (await store.findKeypair(db, userId, name))!;
}

const missing = (userId: string, name: string): ApiError =>
  notFound(`Keypair ${name} not found for user ${userId}`);

/** A user's keypair. @throws 404 */
export async function keypairOf({ db }: Context, userId: string, name: string): Promise<Keypair> {
  const keypair = await store.findKeypair(db, userId, name);
  if (!keypair) throw missing(userId, name);
  return keypair;
}

/** Deletes a user's keypair. Servers keep its name. @throws 404 */
export async function deleteKeypair({ db }: Context, userId: string, name: string): Promise<void> {
  if (!(await store.deleteKeypair(db, userId, name))) throw missing(userId, name);
}

const invalid = (reason: string): ApiError => badRequest(`Keypair data is invalid: ${reason}`);

const sshTypes: readonly string[] = [
  'ssh-rsa',
  'ssh-dss',
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
];

/**
 * The MD5 hash of the key, with colons. The package `sshpk` is not used because it rejects keys of
 * the types `sk-*`, which Nova imports.
 * @throws 400 if the text is not a public key
 */
function sshFingerprint(text: string): string {
  const [type = '', encoded = ''] = text.split(/[ \t]+/);
  const data = Buffer.from(encoded.trim(), 'base64');
  const innerType = data.length > 4 ? data.subarray(4, 4 + data.readUInt32BE(0)).toString() : '';
  const isComplete =
    data.length > 4 + innerType.length && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded.trim());
  if (!sshTypes.includes(type) || innerType !== type || !isComplete)
    throw invalid('failed to generate fingerprint');
  return withColons(createHash('md5').update(data).digest('hex'));
}

const withColons = (hex: string): string => hex.replaceAll(/..(?!$)/g, '$&:');

/** The SHA-1 hash of a certificate, with colons. @throws 400 if the text is not a certificate */
function x509Fingerprint(text: string): string {
  try {
    return new X509Certificate(text).fingerprint.toLowerCase();
  } catch (error) {
    throw invalid(
      `failed to generate X509 fingerprint. Error message: ${(error as Error).message}`,
    );
  }
}

const generate = promisify(generateKeyPair);

/** Generates a keypair (until 2.91). */
export async function generateKeys(
  type: Keypair['type'],
  userId: string,
  now: Micros,
): Promise<{ publicKey: string; privateKey: string }> {
  const { publicKey, privateKey } = await generate('rsa', { modulusLength: 2048 });
  if (type === 'x509') {
    return {
      publicKey: certificate(publicKey, privateKey, userId, now),
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    };
  }
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' });
  const parts = [Buffer.from('ssh-rsa'), unsigned(e), unsigned(n)];
  const blob = Buffer.concat(parts.map((part) => Buffer.concat([lengthOf(part), part])));
  return {
    publicKey: `ssh-rsa ${blob.toString('base64')} Generated-by-Nova`,
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }) as string,
  };
}

function lengthOf(part: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(part.length);
  return length;
}

/** A number in SSH's encoding, with a zero byte in front if its highest bit is set. */
function unsigned(base64url: string): Buffer {
  const bytes = Buffer.from(base64url, 'base64url');
  return bytes[0]! & 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes;
}

const tenYears = 3650 * 86_400 * SECOND;

/**
 * Creates a self-signed certificate for the user's name, for signing in to Windows. Upstream:
 * crypto.py generate_winrm_x509_cert.
 */
function certificate(
  publicKey: KeyObject,
  privateKey: KeyObject,
  userId: string,
  now: Micros,
): string {
  const sha256WithRsa = sequence(objectId('1.2.840.113549.1.1.11'), Buffer.of(5, 0));
  const name = sequence(set(sequence(objectId('2.5.4.3'), utf8(userId))));
  const principal = contextual(
    0,
    sequence(
      Buffer.concat([
        objectId('1.3.6.1.4.1.311.20.2.3'),
        contextual(0, utf8(`${userId}@localhost`)),
      ]),
    ).subarray(2),
  );
  const usage = sequence(objectId('2.5.29.37'), octets(sequence(objectId('1.3.6.1.5.5.7.3.2'))));
  const subject = sequence(objectId('2.5.29.17'), octets(sequence(principal)));
  const body = sequence(
    contextual(0, integer(2)),
    integer(1),
    sha256WithRsa,
    name,
    sequence(time(now), time(now + tenYears)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    contextual(3, sequence(usage, subject)),
  );
  return pemOf(sequence(body, sha256WithRsa, bitString(sign('sha256', body, privateKey))));
}
