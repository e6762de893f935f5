// The table of tasks.
import { jsonWhere, micros, nullable, text, textOf } from '../../../kernel/db/columns.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Sort } from '../../../kernel/db/listing.ts';
import { Table } from '../../../kernel/db/table.ts';
import type { Micros } from '../../../kernel/clock.ts';
import { isObject } from '../../../kernel/json.ts';
import { taskStatuses, taskTypes, type Task, type TaskStatus, type TaskType } from '../model.ts';

const objectOrNull = <V>() =>
  jsonWhere<V>((value) => value === null || isObject(value as never), 'a JSON object or null');

export const tasks = new Table<Task>('image_tasks', {
  id: text,
  type: textOf(taskTypes),
  status: textOf(taskStatuses),
  owner: text,
  userId: nullable(text),
  requestId: nullable(text),
  imageId: nullable(text),
  input: objectOrNull<Task['input']>(),
  result: objectOrNull<Task['result']>(),
  message: text,
  expiresAt: nullable(micros),
  createdAt: micros,
  updatedAt: micros,
});

/** Deletes the tasks that expired before a time, and so are hidden. @returns how many */
export const purgeTasks = async (db: Db, before: Micros): Promise<number> =>
  db(tasks.name).where('expires_at', '<', before).delete();

/** The filters of a list of tasks, its order, and its position. */
export interface TaskQuery {
  /** The project whose tasks are listed; all tasks if it is undefined. */
  readonly owner: string | undefined;
  readonly status: TaskStatus | undefined;
  readonly type: TaskType | undefined;
  readonly imageId?: string;
  readonly sort: readonly Sort<Task>[];
  readonly after: Task | undefined;
  readonly limit?: number;
}

/** Selects the tasks that have not expired and that match every filter. */
export const selectTasks = (
  db: Db,
  now: Micros,
  { owner, status, type, imageId, sort, after, limit }: TaskQuery,
): Promise<Task[]> =>
  tasks.list(db, {
    where: { owner, status, type, imageId },
    conditions: [
      (query) =>
        void query.where(
          (either) => void either.whereNull('expires_at').orWhere('expires_at', '>', now),
        ),
    ],
    sort,
    after,
    limit,
  });
