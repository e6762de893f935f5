// The background jobs of Tricircle: the daily collection of usage, and the worker of asynchronous
// jobs, what follows changes of the central region's Neutron, and migrations.
import type { Jobs } from '../../kernel/model.ts';
import { follow, followKind } from './domain/cascade/follow.ts';
import { retryKind } from './domain/cascade/retries.ts';
import { startKind } from './domain/jobs/jobs.ts';
import { finishJob, finishKind, startJob } from './domain/jobs/worker.ts';
import { advance, moveKind } from './domain/migration/worker.ts';
import { collectDaily, collectionKind } from './domain/usages.ts';

export const tricircleJobs: Jobs = {
  [collectionKind]: { round: collectDaily, spansDatabases: true, supersedes: true },
  [startKind]: startJob,
  [finishKind]: { run: finishJob },
  [followKind]: { run: follow },
  [retryKind]: { run: follow },
  [moveKind]: { run: advance },
};
