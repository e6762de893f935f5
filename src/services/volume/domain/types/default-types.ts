// The default types of projects.
import { notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import {
  deleteDefaultType,
  selectDefaultTypes,
  writeDefaultType,
} from '../../store/default-types.ts';
import type { DefaultType, VolumeType } from '../../model.ts';

/** The default types of all projects that have one, by project. */
export const defaultTypesOf = ({ db }: Context): Promise<DefaultType[]> =>
  selectDefaultTypes(db, {});

/** The default type of a project. @throws 404 */
export async function projectDefault({ db }: Context, projectId: string): Promise<DefaultType> {
  const [found] = await selectDefaultTypes(db, { projectId });
  if (!found) throw notFound(`Default type for project ${projectId} not found.`);
  return found;
}

/** Sets the default type of a project. */
export const setProjectDefault = (
  { db }: Context,
  projectId: string,
  { id }: VolumeType,
): Promise<void> => writeDefaultType(db, { projectId, typeId: id });

/** Leaves a project to the default of all; nothing changes where it has none of its own. */
export const unsetProjectDefault = ({ db }: Context, projectId: string): Promise<void> =>
  deleteDefaultType(db, projectId);
