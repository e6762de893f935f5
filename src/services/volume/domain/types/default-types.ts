// The rules of the projects' default volume types.
import { notFound } from '../../../../kernel/errors.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { DefaultType, VolumeType } from '../../model.ts';
import * as store from '../../store/default-types.ts';

/** Lists the default types of all projects that have one, ordered by project. */
export const listDefaultTypes = ({ db }: Context): Promise<DefaultType[]> =>
  store.listDefaultTypes(db);

/** Returns the default type of a project. @throws 404 */
export async function defaultTypeOf({ db }: Context, projectId: string): Promise<DefaultType> {
  const found = await store.findDefaultType(db, projectId);
  if (!found) throw notFound(`Default type for project ${projectId} not found.`);
  return found;
}

/** Sets the default type of a project. */
export const setDefaultType = (
  { db }: Context,
  projectId: string,
  { id }: VolumeType,
): Promise<void> => store.writeDefaultType(db, { projectId, typeId: id });

/** Deletes the default type of a project, if it has one. The global default type then applies. */
export const removeDefaultType = ({ db }: Context, projectId: string): Promise<void> =>
  store.deleteDefaultType(db, projectId);
