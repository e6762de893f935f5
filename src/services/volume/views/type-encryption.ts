// The encryption of a volume type in replies, and that of a volume.
import { fixedKey } from '../domain/types/encryption.ts';
import type { Encryption, Volume } from '../model.ts';
import { timeOrNull, timeView } from './times.ts';

export const encryptionView = (encryption: Encryption): Readonly<Record<string, unknown>> => ({
  volume_type_id: encryption.typeId,
  encryption_id: encryption.id,
  provider: encryption.provider,
  control_location: encryption.controlLocation,
  cipher: encryption.cipher,
  key_size: encryption.keySize,
  created_at: timeView(encryption.createdAt),
  updated_at: timeOrNull(encryption.updatedAt),
  deleted_at: null,
  deleted: false,
});

/** The encryption of a volume, which follows from the encryption of its type. */
export function volumeEncryptionView(
  { encrypted }: Volume,
  encryption: Encryption | undefined,
): Readonly<Record<string, unknown>> {
  const key = { encryption_key_id: encrypted ? fixedKey : null };
  if (!encryption) return key;
  const { controlLocation, cipher, keySize, provider } = encryption;
  return { ...key, control_location: controlLocation, cipher, key_size: keySize, provider };
}
