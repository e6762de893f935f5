// Handlers of the rehearsals of failures, below /_emulator/host-failures.
import { emulatedNow } from '../../kernel/clock.ts';
import { systemContext } from '../../kernel/context.ts';
import { transact } from '../../kernel/db/transaction.ts';
import { notFound } from '../../kernel/errors.ts';
import { ok } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { regionNamed } from '../../kernel/regions.ts';
import { failureKinds, type FailureKind } from './model.ts';
import { failureDomains, rehearseFailure } from './rehearse.ts';
import { failureView } from './report.ts';

/**
 * GET /_emulator/host-failures/{kind}: the hosts, zones or aggregates that may fail.
 * @throws 400, 404
 */
export async function list({ cloud, params, query }: Call): Promise<Reply> {
  const region = regionNamed(cloud, query.last('region'));
  const kind = kindIn(params);
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  const domains = await transact(region.database.db, (db, attempt) =>
    failureDomains(systemContext(cloud, region, db, now, attempt), kind),
  );
  return ok({ domains });
}

/** GET /_emulator/host-failures/{kind}/{name}: what happens if it fails. @throws 400, 404 */
export async function show(call: Call): Promise<Reply> {
  const { cloud, params, query } = call;
  const region = regionNamed(cloud, query.last('region'));
  const now = emulatedNow((await cloud.sharedState.read()).clock);
  const { name } = params as { name: string };
  const kind = kindIn(params);
  const { domain, displaced } = await rehearseFailure({ cloud, now }, region, { kind, name });
  return ok({ failure: failureView(region.name, domain, displaced) });
}

/** @throws 404 */
function kindIn({ kind }: Call['params']): FailureKind {
  const found = failureKinds.find((one) => one === kind);
  if (!found) throw notFound(`A '${kind}' cannot fail. Name ${failureKinds.join(', ')}.`);
  return found;
}
