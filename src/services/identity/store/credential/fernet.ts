// Fernet, with which Keystone encrypts credentials: AES-128-CBC and HMAC-SHA256. It is written on
// top of node:crypto, because the npm packages for it depend on crypto-js, which is no longer
// maintained. The format: https://github.com/fernet/spec
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  timingSafeEqual,
} from 'node:crypto';
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import { newBytes } from '../../../../kernel/ids.ts';

const version = 0x80;
const [ivAt, textAt, macLength] = [9, 25, 32];

/** A new key: sixteen bytes for the HMAC and sixteen for AES, in base64. */
export const newFernetKey = (): string => padded(newBytes(32));

/** The hash of a key, as Keystone computes it. */
export const fernetKeyHash = (key: string): string => createHash('sha1').update(key).digest('hex');

/** @param now the timestamp of the token */
export function encryptFernet(key: string, text: string, now: Micros): string {
  const head = Buffer.alloc(ivAt);
  head.writeUInt8(version);
  head.writeBigUInt64BE(BigInt(Math.floor(now / SECOND)), 1);
  const iv = newBytes(16);
  const cipher = createCipheriv('aes-128-cbc', halfOf(key, 1), iv);
  const signed = Buffer.concat([head, iv, cipher.update(text, 'utf8'), cipher.final()]);
  return padded(Buffer.concat([signed, macOf(key, signed)]));
}

/** Whether a text has the format of a token. Only a key can verify that it is one. */
export function isFernet(token: string): boolean {
  const bytes = Buffer.from(token, 'base64url');
  return bytes.length > textAt + macLength && bytes[0] === version;
}

/** @returns undefined if the text was encrypted with another key, or has been changed */
export function decryptFernet(key: string, token: string): string | undefined {
  const bytes = Buffer.from(token, 'base64url');
  const signed = bytes.subarray(0, -macLength);
  if (signed.length <= textAt || signed[0] !== version) return undefined;
  if (!timingSafeEqual(macOf(key, signed), bytes.subarray(-macLength))) return undefined;
  const cipher = createDecipheriv('aes-128-cbc', halfOf(key, 1), signed.subarray(ivAt, textAt));
  return Buffer.concat([cipher.update(signed.subarray(textAt)), cipher.final()]).toString('utf8');
}

const halfOf = (key: string, half: 0 | 1): Buffer =>
  Buffer.from(key, 'base64url').subarray(16 * half, 16 * (half + 1));
const macOf = (key: string, signed: Buffer): Buffer =>
  createHmac('sha256', halfOf(key, 0)).update(signed).digest();

/** URL-safe base64 with padding, as Python writes it. */
function padded(bytes: Buffer): string {
  const text = bytes.toString('base64url');
  return text + '='.repeat(-text.length & 3);
}
