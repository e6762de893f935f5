// The properties of an image that show an import while it is under way, and after it. Upstream:
// _ImportActions in glance/async_/flows/api_image_import.py.
import { conflict } from '../../../../kernel/errors.ts';
import { SECOND } from '../../../../kernel/clock.ts';
import type { Context } from '../../../../kernel/model.ts';
import type { Image } from '../../model.ts';
import { updateImage } from '../../store/images.ts';
import { tasks } from '../../store/tasks.ts';
import { createTask, endTask, type NewTask } from '../tasks.ts';

type Properties = Image['properties'];

/** The id of the task that imports the image: a lock. */
const lockName = 'os_glance_import_task';
/** The stores that the import has not reached yet, and those that it has failed for. */
const [importingName, failedName] = ['os_glance_importing_to_stores', 'os_glance_failed_import'];

/** How long a task that is under way, or that has ended, holds the lock. A pending one: twice. */
const lockTime = 3600 * SECOND;

/** Creates a task that imports the image, and locks the image for it. */
export async function lockForTask(
  context: Context,
  image: Image,
  fields: Omit<NewTask, 'imageId'>,
): Promise<void> {
  const task = await createTask(context, { ...fields, imageId: image.id });
  const properties = { ...image.properties, [lockName]: task.id };
  await updateImage(context.db, image, { ...image, properties }, context.now);
}

/** Whether the task imports the image. */
export const isLockedBy = ({ properties }: Image, taskId: string): boolean =>
  properties[lockName] === taskId;

/** The stores that an import has not reached yet. */
export const importingStores = ({ properties }: Pick<Image, 'properties'>): readonly string[] =>
  listOf(properties[importingName]);

const listOf = (text = ''): readonly string[] => text.split(',').filter(Boolean);

/** Removes the lock. */
export const unlocked = (properties: Properties): Properties =>
  Object.fromEntries(Object.entries(properties).filter(([name]) => name !== lockName));

/**
 * Checks that no other task imports the image. A task that has made no progress for an hour fails.
 * @throws 409
 */
export async function checkUnlocked(context: Context, image: Image): Promise<void> {
  const id = image.properties[lockName];
  if (id === undefined) return;
  const task = await tasks.find(context.db, { id });
  if (!task) return;
  const expiry = task.status === 'pending' ? 2 * lockTime : lockTime;
  if (context.now - task.updatedAt < expiry) throw conflict('Image has active task');
  if (task.status === 'pending' || task.status === 'processing')
    await endTask(context, task, { failure: 'Expired lock preempted' });
}

/** The image when an import for the stores begins. */
export const begun = (properties: Properties, stores: readonly string[]): Properties =>
  withLists(properties, {
    [importingName]: (listed) => [...listed, ...stores.filter((one) => !listed.includes(one))],
    [failedName]: (listed) => listed.filter((one) => !stores.includes(one)),
  });

/** The image when an import for the stores has ended, with those that it has failed for. */
export const ended = (
  properties: Properties,
  stores: readonly string[],
  failed: readonly string[],
): Properties =>
  unlocked(
    withLists(properties, {
      [importingName]: (listed) => listed.filter((one) => !stores.includes(one)),
      [failedName]: (listed) => [...listed, ...failed.filter((one) => !listed.includes(one))],
    }),
  );

/** Changes properties that are lists, separated by commas. */
function withLists(
  properties: Properties,
  changes: Readonly<Record<string, (listed: readonly string[]) => readonly string[]>>,
): Properties {
  const changed = Object.entries(changes).map(([name, change]): [string, string] => {
    return [name, change(listOf(properties[name])).join(',')];
  });
  return { ...properties, ...Object.fromEntries(changed) };
}
