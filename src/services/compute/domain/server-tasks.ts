// Everything that happens to servers when it is due, by name.
import { spawn } from './server-build.ts';
import { createBackupTask } from './server-backups.ts';
import { createImageTask, rebuildTask } from './server-changes.ts';
import { deleteTask } from './server-delete.ts';
import { confirmResize, evacuate, liveMigrate, liveMigrateFinish, resize, resizeFinish, revertResize } from './server-moves.ts';
import { shelveOffloadTask, shelveTask, unshelveFinishTask, unshelveTask } from './server-shelves.ts';
import { transitionTasks } from './server-transitions.ts';
import type { Task } from './server-work.ts';

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
