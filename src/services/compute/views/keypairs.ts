// Keypairs as a client sees them.
import { naiveIso } from '../../../kernel/clock.ts';
import type { ComputeCall } from '../call.ts';
import type { Keypair } from '../model.ts';

type At = Pick<ComputeCall, 'version'>;

const item = ({ version }: At, { name, publicKey, fingerprint, type }: Keypair): object => ({
  name,
  public_key: publicKey,
  fingerprint,
  ...version.since('2.2', { type }),
});

/** A keypair in a list. */
export const keypairItem = (call: At, keypair: Keypair): object => ({
  keypair: item(call, keypair),
});

/** The answer to POST: with the private key where it was generated. */
export const newKeypairView = (
  call: At,
  keypair: Keypair,
  privateKey: string | undefined,
): object => ({
  ...item(call, keypair),
  user_id: keypair.userId,
  ...(privateKey === undefined ? {} : { private_key: privateKey }),
});

export const keypairView = (call: At, keypair: Keypair): object => ({
  ...item(call, keypair),
  user_id: keypair.userId,
  id: keypair.id,
  created_at: naiveIso(keypair.createdAt),
  updated_at: null,
  deleted: false,
  deleted_at: null,
});
