// One-time passwords that follow the clock (TOTP, RFC 6238): HMAC-SHA1, six digits, thirty seconds.
// Upstream: keystone/auth/plugins/totp.py.
import { createHmac } from 'node:crypto';
import { sameSecret } from '../../../../kernel/auth/same-secret.ts';
import { SECOND, type Micros } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import { listCredentials } from '../../store/credential/credentials.ts';
import type { User } from '../../model.ts';
import { loadSettings } from '../settings.ts';

const period: Micros = 30 * SECOND;

/** The shortest secret in bytes; upstream's library rejects shorter ones. */
const shortestSecret = 16;

/** Whether a passcode belongs to one of a user's credentials of the type `totp`. */
export async function hasPasscode(
  context: Context,
  { id }: User,
  passcode: string,
): Promise<boolean> {
  const { totpPreviousWindows } = await loadSettings(context);
  const credentials = await listCredentials(context.db, { userId: id, type: 'totp' });
  return credentials.some(({ blob }) => {
    const secret = base32Bytes(blob);
    if (!secret || secret.length < shortestSecret) return false;
    const times = Array.from(
      { length: totpPreviousWindows + 1 },
      (_, before) => context.now - before * period,
    );
    return times.some((time) => sameSecret(passcodeAt(secret, time), passcode));
  });
}

/** The passcode of a secret at a time. */
export function passcodeAt(secret: Uint8Array, time: Micros): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(time / period)));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = digest.at(-1)! & 0xf;
  const number = digest.readUInt32BE(offset) & 0x7f_ff_ff_ff;
  return String(number % 1_000_000).padStart(6, '0');
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Decodes base32, with or without padding; undefined for other text. */
export function base32Bytes(text: string): Uint8Array | undefined {
  if (!/^[A-Z2-7]+={0,6}$/.test(text)) return undefined;
  const bytes: number[] = [];
  let [bits, count] = [0, 0];
  for (const letter of text.replaceAll('=', '')) {
    bits = ((bits << 5) | alphabet.indexOf(letter)) & 0xf_ff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 0xff);
  }
  return Uint8Array.from(bytes);
}
