// The rules of metadata, which are the same for volumes and snapshots.
import { notFound } from '../../../kernel/errors.ts';
import type { Context } from '../../../kernel/model.ts';
import { updateSnapshot } from '../store/snapshots.ts';
import { updateVolume } from '../store/volumes.ts';
import type { Metadata, Snapshot, Volume } from '../model.ts';

/** A volume or a snapshot that has metadata. */
export interface MetadataOwner {
  readonly id: string;
  readonly noun: 'Volume' | 'Snapshot';
  readonly projectId: string;
  readonly metadata: Metadata;
  write(context: Context, metadata: Metadata): Promise<unknown>;
}

export const volumeOwner = (volume: Volume): MetadataOwner => ({
  ...volume,
  noun: 'Volume',
  write: ({ db, now }, metadata) => updateVolume(db, volume, { metadata }, now),
});

export const snapshotOwner = (snapshot: Snapshot): MetadataOwner => ({
  ...snapshot,
  noun: 'Snapshot',
  write: ({ db, now }, metadata) => updateSnapshot(db, snapshot, { metadata }, now),
});

/** Adds or replaces keys. @returns all metadata */
export async function addMetadata(
  context: Context,
  owner: MetadataOwner,
  added: Metadata,
): Promise<Metadata> {
  const metadata = { ...owner.metadata, ...added };
  await owner.write(context, metadata);
  return metadata;
}

/** Replaces all metadata. */
export async function replaceMetadata(
  context: Context,
  owner: MetadataOwner,
  metadata: Metadata,
): Promise<void> {
  await owner.write(context, metadata);
}

/** Returns the value of a key. @throws 404 */
export function metadataItem({ metadata, noun, id }: MetadataOwner, key: string): string {
  if (!Object.hasOwn(metadata, key))
    throw notFound(`${noun} ${id} has no metadata with key ${key}.`);
  return metadata[key]!;
}

/** Deletes a key. @throws 404 */
export async function removeMetadataItem(
  context: Context,
  owner: MetadataOwner,
  key: string,
): Promise<void> {
  metadataItem(owner, key);
  await owner.write(
    context,
    Object.fromEntries(Object.entries(owner.metadata).filter(([name]) => name !== key)),
  );
}
