// Jobs that run together in one transaction: see docs/internals/jobs.md.
import { contextWith } from '../context.ts';
import { newRequestId } from '../ids.ts';
import type { JobHandler, Jobs, JointJob } from '../model.ts';

export const isJoint = (job: Jobs[string]): job is JointJob =>
  typeof job !== 'function' && 'runAll' in job;

/** Lets the jobs of a kind share a transaction, in which they run one at a time. */
export const inTurn = (run: JobHandler): JointJob => ({
  runAll: async (context, jobs) => {
    for (const job of jobs) await run(contextWith(context, { requestId: newRequestId() }), job);
  },
});
