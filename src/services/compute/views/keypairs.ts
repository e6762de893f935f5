// Views of keypairs.
import { naiveIso } from '../../../kernel/clock.ts';
import type { ComputeCall } from '../call.ts';
import type { Keypair } from '../model.ts';

type Versioned = Pick<ComputeCall, 'version'>;

const item = ({ version }: Versioned, { name, publicKey, fingerprint, type }: Keypair): object => ({
  name,
  public_key: publicKey,
  fingerprint,
  ...version.since('2.2', { type }),
});

/** A keypair in a list. */
export const keypairItem = (call: Versioned, keypair: Keypair): object => ({
  keypair: item(call, keypair),
});

/** The reply to POST, which includes the private key if Compute generated it. */
export const newKeypairView = (
  call: Versioned,
  keypair: Keypair,
  privateKey: string | undefined,
): object => ({
  ...item(call, keypair),
  user_id: keypair.userId,
  ...(privateKey === undefined ? {} : { private_key: privateKey }),
});

export const keypairView = (call: Versioned, keypair: Keypair): object => ({
  ...item(call, keypair),
  user_id: keypair.userId,
  id: keypair.id,
  created_at: naiveIso(keypair.createdAt),
  updated_at: null,
  deleted: false,
  deleted_at: null,
});
