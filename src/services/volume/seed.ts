// The initial data of Volume: the default type, and the type `__DEFAULT__` that upstream creates.
import { uuidFor } from '../../kernel/ids.ts';
import { defaultTypeName, type VolumeType } from './model.ts';
import { listTypes, insertType } from './store/types.ts';
import type { Context } from '../../kernel/model.ts';

/** Inserts the types if the database has none. A type that was deleted is not restored. */
export async function seedVolume({ db, now }: Context): Promise<void> {
  if ((await listTypes(db)).length) return;
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
