// The jobs of Clustering: the steps of actions, timeouts, remote tasks, and health checks.
import { actionKind, lifecycleKind, timeoutKind } from './domain/actions/queue.ts';
import { remoteTaskKind, runRemoteTasks } from './domain/engine/remote-tasks.ts';
import { endLifecycle, runActions, timeOut } from './domain/engine/engine.ts';
import { checkHealth } from './domain/health/checker.ts';
import { healthKind } from './domain/health/registry.ts';
import type { Jobs } from '../../kernel/model.ts';

export const clusteringJobs: Jobs = {
  [actionKind]: { runAll: runActions },
  [timeoutKind]: timeOut,
  [lifecycleKind]: endLifecycle,
  [remoteTaskKind]: { run: runRemoteTasks },
  [healthKind]: { round: checkHealth, spansDatabases: true },
};
