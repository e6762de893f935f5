// The key that signs assertions and metadata, and its certificate. It is made on first use, because
// that takes longer than the rest of a start, and a reset keeps it.
import { createHmac } from 'node:crypto';
import { writeRowInCentral } from '../../../../kernel/context.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import type { Context } from '../../../../kernel/model.ts';
import { createSigningKey, type KeyPair } from '../../../../kernel/tls/certificates.ts';
import { ensureSecret, readSecret, tokenKey } from '../../store/auth/tokens.ts';

const name = 'identity.saml_key';

/** The key and its certificate. Of several processes that make one, the first wins. */
export async function signingKey(context: Context): Promise<KeyPair> {
  const kept = await keptKey(context.db);
  if (kept) return kept;
  const made = JSON.stringify(await createSigningKey('Cumulet'));
  await writeRowInCentral(context, ({ db }) => ensureSecret(db, name, () => made));
  return (await keptKey(context.db))!;
}

async function keptKey(db: Db): Promise<KeyPair | undefined> {
  const text = await readSecret(db, name);
  return text === undefined ? undefined : (JSON.parse(text) as KeyPair);
}

/** The key of the relay states that clients bring back. */
export const relayKey = async (db: Db): Promise<Uint8Array> =>
  createHmac('sha256', await tokenKey(db))
    .update('saml.relay')
    .digest();

/** A certificate as XML has it: the text between the lines BEGIN and END. */
export const certificateText = (pem: string): string => pem.replaceAll(/-----[^-]*-----|\s/g, '');
