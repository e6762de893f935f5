// Everything that happens to servers when it is due, by name.
import { spawn } from './build.ts';
import { createBackupTask } from './backups.ts';
import { createImageTask, rebuildTask } from './changes.ts';
import { deleteTask } from './delete.ts';
import { confirmResize, evacuate, liveMigrate, liveMigrateFinish, resize, resizeFinish, revertResize } from '../moves/moves.ts';
import { shelveOffloadTask, shelveTask, unshelveFinishTask, unshelveTask } from './shelves.ts';
import { transitionTasks } from './transitions.ts';
import type { Task } from '../servers/tasks.ts';

export const serverTasks: Readonly<Record<string, Task>> = {
  ...transitionTasks,
  spawn,
  rebuild: rebuildTask,
  createImage: createImageTask,
  createBackup: createBackupTask,
  delete: deleteTask,
  resize,
  resizeFinish,
  confirmResize,
  revertResize,
  liveMigrate,
  liveMigrateFinish,
  evacuate,
  shelve: shelveTask,
  shelveOffload: shelveOffloadTask,
  unshelve: unshelveTask,
  unshelveFinish: unshelveFinishTask,
};
