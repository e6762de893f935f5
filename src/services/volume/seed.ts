// The initial data of Volume: a type for each backend, the first of which is the default, and the
// types that upstream creates: `__DEFAULT__`, and the group type of consistency groups.
import { uuidFor } from '../../kernel/ids.ts';
import { backendNames } from './domain/backend/backends.ts';
import { consistencyGroupTypeName, type VolumeType } from './model.ts';
import { insertGroupType, listGroupTypes } from './store/group-types.ts';
import { listTypes, insertType } from './store/types.ts';
import type { Context } from '../../kernel/model.ts';

/** Inserts the types if the database has none. A type that was deleted is not restored. */
export async function seedVolume(context: Context): Promise<void> {
  await seedTypes(context);
  await seedGroupTypes(context);
}

async function seedGroupTypes({ db, now }: Context): Promise<void> {
  if ((await listGroupTypes(db)).length) return;
  await insertGroupType(db, {
    id: uuidFor(`volume.${consistencyGroupTypeName}`),
    name: consistencyGroupTypeName,
    description: 'Default group type for migrating cgsnapshots',
    isPublic: true,
    createdAt: now,
    updatedAt: null,
    specs: { consistent_group_snapshot_enabled: '<is> True' },
  });
}

async function seedTypes(context: Context): Promise<void> {
  const { db, now } = context;
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
    ...backendNames(context).map((name) => ({
      ...common,
      id: uuidFor(`volume.${name}`),
      name,
      description: null,
      extraSpecs: { volume_backend_name: name },
    })),
  ];
  for (const type of types) await insertType(db, type);
}
