// The background jobs of Tricircle: the daily collection of usage, and the worker of asynchronous
// jobs.
import type { Jobs } from '../../kernel/model.ts';
import { startKind } from './domain/jobs/jobs.ts';
import { finishJob, finishKind, startJob } from './domain/jobs/worker.ts';
import { collectDaily, collectionKind } from './domain/usages.ts';

export const tricircleJobs: Jobs = {
  [collectionKind]: { round: collectDaily, spansDatabases: true, supersedes: true },
  [startKind]: startJob,
  [finishKind]: finishJob,
};
