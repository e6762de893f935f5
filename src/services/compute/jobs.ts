// What happens to servers later than the request that asked for it.
import type { Card } from '../../kernel/http/service.ts';
import { buildKind, runBuild, type BuildPayload } from './domain/lifecycle/build.ts';
import { serverTasks } from './domain/lifecycle/tasks.ts';
import { runTask, taskKind, type Work } from './domain/servers/tasks.ts';

type Context = Parameters<NonNullable<Card['jobs']>[string]>[0];

const workOf = ({ db, now, cloud }: Context): Work => ({ db, now, latency: cloud.config.latency, log: cloud.log });

export const serverJobs: NonNullable<Card['jobs']> = {
  [buildKind]: (context, { payload }) => runBuild(workOf(context), payload as BuildPayload),
  [taskKind]: (context, { subject, payload }) => runTask(workOf(context), serverTasks, subject, payload),
};
