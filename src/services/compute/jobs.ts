// What happens to servers later than the request that asked for it.
import { buildKind, runBuild, type BuildPayload } from './domain/lifecycle/build.ts';
import { serverTasks } from './domain/lifecycle/tasks.ts';
import { runTask, taskKind, type Work as ServerWork } from './domain/servers/tasks.ts';
import type { Jobs, Work } from '../../kernel/model.ts';

const serverWork = ({ db, now, cloud }: Work): ServerWork => ({ db, now, latency: cloud.config.latency, log: cloud.log });

export const serverJobs: Jobs = {
  [buildKind]: (work, { payload }) => runBuild(serverWork(work), payload as BuildPayload),
  [taskKind]: (work, { subject, payload }) => runTask(serverWork(work), serverTasks, subject, payload),
};
