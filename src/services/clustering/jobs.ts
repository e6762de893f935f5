// The jobs of Clustering: the steps of actions, timeouts, remote tasks, and health checks.
import { actionKind, lifecycleKind, timeoutKind } from './domain/actions/queue.ts';
import { remoteTaskKind, runRemoteTasks } from './domain/engine/remote-tasks.ts';
import { endLifecycle, runAction, timeOut } from './domain/engine/engine.ts';
import { checkHealth } from './domain/health/checker.ts';
import { healthKind } from './domain/health/registry.ts';
import { inTurn } from '../../kernel/jobs/periodic.ts';
import type { Jobs } from '../../kernel/model.ts';

export const clusteringJobs: Jobs = {
  [actionKind]: inTurn(runAction),
  [timeoutKind]: timeOut,
  [lifecycleKind]: endLifecycle,
  [remoteTaskKind]: { run: runRemoteTasks },
  [healthKind]: { round: checkHealth, spansDatabases: true },
};
