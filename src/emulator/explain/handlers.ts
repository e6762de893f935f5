// Handlers of /_emulator/explain: the explanations of decisions that were taken.
import { isoMicros } from '../../kernel/clock.ts';
import { SerializationFailure } from '../../kernel/db/errors.ts';
import { writeSharedValue } from '../../kernel/db/state.ts';
import { transact } from '../../kernel/db/transaction.ts';
import { notFound } from '../../kernel/errors.ts';
import { ok } from '../../kernel/http/reply.ts';
import { runDueJobsInTime } from '../../kernel/jobs/due-jobs.ts';
import type { Call, Region, Reply } from '../../kernel/model.ts';
import { regionNamed } from '../../kernel/regions.ts';
import { explanationFormat, type Decision, type ExplanationKind } from './model.ts';
import { listExplanations, type ExplanationFilter, type KeptExplanation } from './store.ts';

/** The default number of explanations in a list. */
const defaultLimit = 20;

const viewIn =
  (region: string) =>
  ({
    requestId,
    kind,
    subject,
    name,
    outcome,
    createdAt,
    explanation,
  }: KeptExplanation): object => ({
    format: explanationFormat,
    region,
    request_id: requestId,
    time: isoMicros(createdAt),
    kind,
    subject: subject || null,
    name: name || null,
    outcome,
    ...explanation,
  });

/**
 * Runs the due jobs, because jobs take some of the decisions (one schedules a new server), and
 * waits until their explanations are written. A conflict means that another process runs the jobs.
 * @throws 503 as `runDueJobsInTime`
 */
async function finishDecisions(call: Call, regions: readonly Region[]): Promise<void> {
  try {
    for (const region of [undefined, ...regions]) await runDueJobsInTime(call, region);
  } catch (error) {
    if (!(error instanceof SerializationFailure)) throw error;
  }
  await call.cloud.explanations.flush();
}

/** GET /_emulator/explain: the newest explanations of a region that match, the newest first. */
export async function list(call: Call): Promise<Reply> {
  const { cloud, query } = call;
  const region = regionNamed(cloud, query.last('region'));
  const kind = query.last('kind') as ExplanationKind | undefined;
  const subject = query.last('subject');
  const requestId = query.last('request');
  const outcome = query.last('outcome') as Decision['outcome'] | undefined;
  const filter: ExplanationFilter = {
    ...(kind && { kind }),
    ...(subject !== undefined && { subject }),
    ...(requestId !== undefined && { requestId }),
    ...(outcome && { outcome }),
  };
  await finishDecisions(call, [region]);
  const limit = Number(query.last('limit') ?? defaultLimit);
  const found = await listExplanations(region.database.db, filter, limit);
  return ok({
    all: (await cloud.sharedState.refresh()).explainsAll,
    explanations: found.map(viewIn(region.name)),
  });
}

/** The filter of the last segments of a path. */
const filters = new Map<string, (id: string) => ExplanationFilter>([
  ['requests', (requestId) => ({ requestId })],
  ['servers', (about) => ({ kind: 'server', about })],
  ['actions', (about) => ({ kind: 'action', about })],
  ['pods', (about) => ({ kind: 'pod', about })],
  ['leases', (about) => ({ kind: 'lease', about })],
]);

/**
 * GET /_emulator/explain/{kind}/{id}: the newest explanation of a request, or about a server or a
 * lease with this id or name, in any region. @throws 404
 */
export async function show(call: Call): Promise<Reply> {
  const { cloud, params, query } = call;
  const { kind, id } = params as { kind: string; id: string };
  const filterOf = filters.get(kind);
  if (!filterOf)
    throw notFound(
      `There are no explanations of '${kind}'. Name ${[...filters.keys()].join(', ')}.`,
    );
  const regions = query.has('region')
    ? [regionNamed(cloud, query.last('region'))]
    : [...cloud.regions.values()];
  await finishDecisions(call, regions);
  for (const region of regions) {
    const [found] = await listExplanations(region.database.db, filterOf(id), 1);
    if (found) return ok({ explanation: viewIn(region.name)(found) });
  }
  throw notFound(
    `No decision about '${id}' is explained. If it is about to be decided, ask again. Failures are ` +
      'always explained; for all decisions, use PUT /_emulator/explain {"all": true} first.',
  );
}

/** PUT /_emulator/explain: explains all decisions from now on, or failures only. */
export async function update({ cloud, body }: Call): Promise<Reply> {
  const { all } = body as { all: boolean };
  await transact(cloud.central.db, (db) => writeSharedValue(db, 'explain.all', String(all)));
  cloud.sharedState.invalidate();
  await cloud.sharedState.refresh();
  return ok({ all });
}
