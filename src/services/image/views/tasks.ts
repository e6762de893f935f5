// Renders tasks.
import { isoSeconds, naiveIso, naiveIsoOrNull } from '../../../kernel/clock.ts';
import type { Task } from '../model.ts';

const times = ({ createdAt, updatedAt, expiresAt }: Task): object => ({
  created_at: isoSeconds(createdAt),
  updated_at: isoSeconds(updatedAt),
  ...(expiresAt === null ? {} : { expires_at: isoSeconds(expiresAt) }),
});

const links = ({ id }: Task): object => ({ self: `/v2/tasks/${id}`, schema: '/v2/schemas/task' });

/** A task in a list. */
export const taskSummary = (task: Task): object => ({
  id: task.id,
  type: task.type,
  status: task.status,
  owner: task.owner,
  ...times(task),
  ...links(task),
});

export const taskView = (task: Task): object => ({
  ...taskSummary(task),
  input: task.input,
  message: task.message,
  result: task.result,
  ...(task.imageId === null ? {} : { image_id: task.imageId }),
  ...(task.requestId === null ? {} : { request_id: task.requestId }),
  ...(task.userId === null ? {} : { user_id: task.userId }),
});

/** A task in the list of an image's tasks, which has the columns of upstream's table. */
export const imageTaskView = (task: Task): object => ({
  id: task.id,
  type: task.type,
  status: task.status,
  owner: task.owner,
  expires_at: naiveIsoOrNull(task.expiresAt),
  created_at: naiveIso(task.createdAt),
  updated_at: naiveIso(task.updatedAt),
  deleted_at: null,
  deleted: false,
  image_id: task.imageId,
  request_id: task.requestId,
  user_id: task.userId,
  input: task.input,
  result: task.result,
  message: task.message,
});
