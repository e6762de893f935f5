// Receipts: what a client gets for a sign-in whose methods do not yet meet the user's rules, and
// sends with the rest of the methods. Upstream: keystone/receipt.
import { createHmac } from 'node:crypto';
import { isoMicros, SECOND, type Micros } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import { tokenKey } from '../../store/auth/tokens.ts';
import { findProject } from '../../store/resource/projects.ts';
import type { Db } from '../../../../kernel/db/database.ts';
import { ReceiptError } from '../refusals.ts';
import { loadSettings } from '../settings.ts';
import { readSigned, signValue } from './claims.ts';
import { meetsRules, rulesInProgress } from './multi-factor.ts';
import type { Authenticated } from './sign-in-methods.ts';

/** The methods that a user has signed in with so far. */
interface Receipt {
  readonly userId: string;
  readonly methods: readonly string[];
  readonly expiresAt: Micros;
}

/** The key of receipts. It differs from that of tokens, so that neither is taken for the other. */
const receiptKey = async (db: Db): Promise<Uint8Array> =>
  createHmac('sha256', await tokenKey(db))
    .update('receipt')
    .digest();

/** @throws 401 with a receipt if the user's rules need more methods */
export async function requireMethods(
  context: Context,
  { user, methods }: Authenticated,
): Promise<void> {
  if (meetsRules(user, methods)) return;
  const { db, now } = context;
  const { receiptExpiration } = await loadSettings(context);
  const expiresAt = Math.floor(now / SECOND + receiptExpiration) * SECOND;
  const receipt: Receipt = { userId: user.id, methods, expiresAt };
  const domain = (await findProject(db, user.domainId))!;
  throw new ReceiptError(await signValue(receipt, await receiptKey(db)), {
    receipt: {
      methods,
      user: {
        id: user.id,
        name: user.name,
        domain: { id: domain.id, name: domain.name },
      },
      expires_at: isoMicros(expiresAt),
      issued_at: isoMicros(Math.floor(now / SECOND) * SECOND),
    },
    required_auth_methods: rulesInProgress(user, methods),
  });
}

/** Reads a receipt; undefined if it is invalid or has expired. */
export async function readReceipt({ db, now }: Context, id: string): Promise<Receipt | undefined> {
  const receipt = (await readSigned(id, await receiptKey(db))) as Receipt | undefined;
  return receipt && now < receipt.expiresAt ? receipt : undefined;
}
