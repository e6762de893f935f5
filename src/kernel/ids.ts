// Identifiers and secrets: the only file that generates random numbers.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { strip } from './bounded-text.ts';

/** Random bytes. */
export const newBytes = (count: number): Buffer => randomBytes(count);

/** A random UUID with dashes, lower case. */
export const newUuid = (): string => randomUUID();

/** 32 random hexadecimal digits, like the ids of Keystone. */
export const newHexId = (): string => randomUUID().replaceAll('-', '');

/** A random number from 0 (inclusive) to 1 (exclusive). */
export const newFraction = (): number => randomBytes(6).readUIntBE(0, 6) / 2 ** 48;

/** A number from 0 to 1 that depends only on the name. */
export const fractionFor = (name: string): number =>
  Number.parseInt(idFor(name).slice(0, 12), 16) / 2 ** 48;

/** A random value for `x-openstack-request-id`. */
export const newRequestId = (): string => `req-${randomUUID()}`;

/** A secret of this many random bytes, in URL-safe base64. */
export const newSecret = (bytes = 48): string => randomBytes(bytes).toString('base64url');

/**
 * 32 hexadecimal digits that depend only on the name, so that seeded resources keep their ids after
 * a reset.
 */
export const idFor = (name: string): string =>
  createHash('md5').update(`cumulet:${name}`).digest('hex');

/** The same, as a UUID with dashes. */
export const uuidFor = (name: string): string => dashed(idFor(name));

/** The UUID of a DNS name, as in Python's `uuid5(NAMESPACE_DNS, name)`. */
export const dnsUuid = (name: string): string =>
  uuidIn('6ba7b810-9dad-11d1-80b4-00c04fd430c8', name);

/** The UUID of a name in a namespace, as in Python's `uuid5(namespace, name)`. */
export function uuidIn(namespace: string, name: string): string {
  const bytes = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  const digest = createHash('sha1').update(bytes).update(name).digest();
  digest[6] = (digest[6]! & 0x0f) | 0x50; // version 5
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  return dashed(digest.toString('hex', 0, 16));
}

/**
 * Whether OpenStack accepts the text as a UUID: 32 hexadecimal digits after dashes, braces and
 * `urn:uuid:` are removed.
 */
export function isUuidLike(text: string): boolean {
  return /^[0-9a-f]{32}$/i.test(bare(text));
}

/** A UUID-like text in canonical form: dashes, lower case. */
export function normalUuid(text: string): string {
  return dashed(bare(text).toLowerCase());
}

function bare(text: string): string {
  return strip(text.replace('urn:', '').replace('uuid:', ''), '{}').replaceAll('-', '');
}

function dashed(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
