// The rules of tasks: work on images that outlasts its request. Upstream:
// glance/domain/__init__.py.
import { newUuid } from '../../../kernel/ids.ts';
import { schedule } from '../../../kernel/jobs/queue.ts';
import type { Context } from '../../../kernel/model.ts';
import { SECOND } from '../../../kernel/clock.ts';
import type { Image, Task, TaskType } from '../model.ts';
import { selectTasks, tasks, type TaskQuery } from '../store/tasks.ts';
import { loadSettings } from './settings.ts';

/** The job that starts a task. */
export const startKind = 'image.task_started';

/** What a new task is about. */
export interface NewTask {
  readonly type: TaskType;
  readonly imageId: string | null;
  readonly input: Task['input'];
  readonly requestId: string;
  /** Whether the input describes an image that can be created. */
  readonly isValid?: boolean;
}

/** Creates a task of the actor, and schedules its start. */
export async function createTask(
  context: Context,
  { isValid = true, ...fields }: NewTask,
): Promise<Task> {
  const { db, now, actor } = context;
  const task: Task = {
    id: newUuid(),
    status: 'pending',
    owner: actor.projectId ?? '',
    userId: actor.userId ?? null,
    ...fields,
    result: null,
    message: '',
    expiresAt: null,
    createdAt: now,
    updatedAt: now,
  };
  await tasks.insert(db, task);
  await schedule(db, { dueAt: now, kind: startKind, subject: task.id, payload: { isValid } });
  return task;
}

/** Finds a task that has not expired. */
export async function findTask({ db, now }: Context, id: string): Promise<Task | undefined> {
  const task = await tasks.find(db, { id });
  return task && (task.expiresAt === null || task.expiresAt > now) ? task : undefined;
}

/** Lists the tasks that match. An administrator sees those of all projects. */
export const listTasks = (
  { db, now, actor }: Context,
  query: Omit<TaskQuery, 'owner' | 'imageId'>,
): Promise<Task[]> =>
  selectTasks(db, now, { ...query, owner: actor.isAdmin ? undefined : (actor.projectId ?? '') });

/** Lists the tasks of an image, newest first. */
export const tasksOfImage = ({ db, now }: Context, { id }: Image): Promise<Task[]> =>
  selectTasks(db, now, {
    owner: undefined,
    status: undefined,
    type: undefined,
    imageId: id,
    sort: [{ field: 'createdAt', descending: true }],
    after: undefined,
  });

/** Marks a pending task as under way. */
export const beginTask = ({ db, now }: Context, { id }: Task): PromiseLike<unknown> =>
  tasks.update(db, { id }, { status: 'processing', updatedAt: now });

/** How a task ends: with an image, or with a reason for its failure. */
export type TaskEnd =
  { readonly imageId: string; readonly message: string } | { readonly failure: string };

/** Ends a task, which is deleted some time later. */
export async function endTask(context: Context, { id }: Task, end: TaskEnd): Promise<void> {
  const { db, now } = context;
  const { taskTimeToLive } = await loadSettings(context);
  await tasks.update(
    db,
    { id },
    {
      ...('failure' in end
        ? { status: 'failure', message: end.failure }
        : { status: 'success', message: end.message, result: { image_id: end.imageId } }),
      expiresAt: now + taskTimeToLive * 3600 * SECOND,
      updatedAt: now,
    },
  );
}
