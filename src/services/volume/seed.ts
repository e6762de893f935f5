// What an empty Volume has: the default type, and the type `__DEFAULT__` that upstream always has.
import { uuidFor } from '../../kernel/ids.ts';
import { defaultTypeName, type VolumeType } from './model.ts';
import { allTypes, insertType } from './store/types.ts';
import type { Context } from '../../kernel/model.ts';

/** Adds the types to a database that has none. A type that was deleted stays deleted. */
export async function seedVolume({ db, now }: Context): Promise<void> {
  if ((await allTypes(db)).length) return;
  const common = {
    isPublic: true,
    createdAt: now,
    updatedAt: null,
    qosSpecsId: null,
    projects: [],
  };
  const types: VolumeType[] = [
    {
      ...common,
      id: uuidFor('volume.__DEFAULT__'),
      name: '__DEFAULT__',
      description: 'Default Volume Type',
      extraSpecs: {},
    },
    {
      ...common,
      id: uuidFor(`volume.${defaultTypeName}`),
      name: defaultTypeName,
      description: null,
      extraSpecs: { volume_backend_name: defaultTypeName },
    },
  ];
  for (const type of types) await insertType(db, type);
}
