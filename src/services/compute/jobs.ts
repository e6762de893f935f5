// The jobs of Compute: builds, purges, and the tasks of servers.
import { inTurn } from '../../kernel/jobs/joint.ts';
import type { Job, Jobs, JointJob } from '../../kernel/model.ts';
import type { Server } from './model.ts';
import { createBackupTask } from './domain/lifecycle/backups.ts';
import { buildKind, spawn, type BuildPayload } from './domain/lifecycle/build.ts';
import {
  buildInterval,
  runBuilds,
  serversToBuild,
  type DueBuild,
} from './domain/lifecycle/builds.ts';
import { createImageTask, rebuildTask } from './domain/lifecycle/changes.ts';
import { deleteTask } from './domain/lifecycle/delete.ts';
import { purgeKind, runPurge } from './domain/lifecycle/purge.ts';
import {
  reclaim,
  reclaimKind,
  restoreTask,
  softDeleteTask,
} from './domain/lifecycle/soft-delete.ts';
import {
  shelveOffloadTask,
  shelveTask,
  unshelveFinishTask,
  unshelveTask,
} from './domain/lifecycle/shelves.ts';
import { transitionTasks } from './domain/lifecycle/transitions.ts';
import { followSegment } from './domain/hosts/segments.ts';
import {
  confirmResize,
  evacuate,
  liveMigrate,
  liveMigrateFinish,
  resize,
  resizeFinish,
  revertResize,
} from './domain/moves/moves.ts';
import { volumeExtended } from './domain/servers/external-events.ts';
import { runTask, taskKind, type Tasks } from './domain/servers/tasks.ts';
import { auditKind, auditUsage } from './domain/servers/usage-audit.ts';

const serverTasks: Tasks = {
  ...transitionTasks,
  spawn,
  rebuild: rebuildTask,
  createImage: createImageTask,
  createBackup: createBackupTask,
  delete: deleteTask,
  softDelete: softDeleteTask,
  restore: restoreTask,
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

const dueBuild = ({ dueAt, payload }: Required<Job>): DueBuild => ({
  dueAt,
  payload: payload as BuildPayload,
});

const builds: JointJob<Server[]> = {
  read: (context, jobs) => serversToBuild(context, jobs.map(dueBuild)),
  runAll: (context, jobs, servers) => runBuilds(context, jobs.map(dueBuild), servers),
  within: buildInterval,
};

export const computeJobs: Jobs = {
  [buildKind]: builds,
  [purgeKind]: (context) => runPurge(context),
  [reclaimKind]: (context, { subject }) => reclaim(context, subject),
  [auditKind]: { round: auditUsage },
  [taskKind]: inTurn((context, { subject, payload }) =>
    runTask(context, serverTasks, subject, payload),
  ),
  // Network and Volume schedule these jobs for each segment whose addresses have changed, and for
  // each server with an extended volume, because they must not import a service above them.
  'compute.routed_segment': (context, { subject }) => followSegment(context, subject),
  'compute.volume_extended': (context, { subject }) => volumeExtended(context, subject),
};
