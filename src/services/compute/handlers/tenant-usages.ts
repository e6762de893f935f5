// os-simple-tenant-usage: the usage of all projects, or of one, in a period.
import { naiveIso, naiveIsoOrNull, parseTime, SECOND, type Micros } from '../../../kernel/clock.ts';
import { ok } from '../../../kernel/http/reply.ts';
import { badRequest } from '../../../kernel/errors.ts';
import { grouped } from '../../../kernel/db/grouping.ts';
import { pythonRepr } from '../../../kernel/contract/jsonschema-messages.ts';
import { authorize } from '../../../kernel/http/steps.ts';
import type { ComputeCall } from '../call.ts';
import { listRuns } from '../store/usages.ts';
import { nextPageLinks } from '../views/links.ts';
import { pageAfterMarker, maxItemsOf, pageOf, type Page } from './paging.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { Run } from '../model.ts';

interface Period {
  readonly from: Micros;
  readonly to: Micros;
}

export async function list(call: ComputeCall): Promise<Reply> {
  const detailed = call.query.first('detailed') === '1';
  const { runs, links, period } = await readPage(call, 'os-simple-tenant-usage');
  const byProject = grouped(runs, ({ projectId }) => projectId);
  const usages = [...byProject].map(([project, own]) =>
    summary(call, project, own, period, detailed),
  );
  return ok({ tenant_usages: usages, ...(links.length ? { tenant_usages_links: links } : {}) });
}

export async function show(call: ComputeCall): Promise<Reply> {
  const project = call.params['id']!;
  authorize(call, 'os_compute_api:os-simple-tenant-usage:show', { project_id: project });
  const { runs, links, period } = await readPage(
    call,
    `os-simple-tenant-usage/${project}`,
    project,
  );
  const usage = runs.length ? summary(call, project, runs, period, true) : {};
  return ok({ tenant_usage: usage, ...(links.length ? { tenant_usage_links: links } : {}) });
}

/** The servers of a page, which from 2.40 on has a limit and a marker. */
async function readPage(call: ComputeCall, path: string, project?: string) {
  const period = periodOf(call);
  const page: Page = call.version.has('2.40')
    ? await pageOf(call)
    : { limit: await maxItemsOf(call), marker: undefined };
  const all = await listRuns(call.db, period.from, period.to, project);
  const runs = pageAfterMarker(
    all,
    page,
    ({ uuid }) => uuid,
    `Marker ${page.marker} could not be found.`,
  );
  const links = call.version.has('2.40')
    ? nextPageLinks(call, path, runs, page.limit, runs.at(-1)?.uuid ?? '')
    : [];
  return { runs, links, period };
}

/**
 * The period of the request. Upstream replaces a missing time with the current time, and reads the
 * clock for the end after the start. So a period without both is very short, but not empty.
 */
function periodOf({ query, now }: ComputeCall): Period {
  const from = timeOf(query.first('start'), now);
  const to = timeOf(query.first('end'), now + 1);
  if (from >= to)
    throw badRequest('Invalid start time. The start time cannot occur after the end time.');
  return { from, to: Math.min(to, now) };
}

/** Parses a time. @throws 400 */
function timeOf(text: string | undefined, fallback: Micros): Micros {
  if (!text) return fallback;
  const supported = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d{1,6})?| \d\d:\d\d:\d\d\.\d{1,6})$/.test(
    text,
  );
  const time = supported ? parseTime(text) : undefined;
  if (time === undefined)
    throw badRequest(`Invalid datetime string: Datetime is in invalid format: ${pythonRepr(text)}`);
  return time;
}

const hoursOf = ({ launchedAt, terminatedAt }: Run, { from, to }: Period): number =>
  Math.max(0, Math.min(terminatedAt ?? to, to) - Math.max(launchedAt, from)) / (3600 * SECOND);

function summary(
  call: ComputeCall,
  project: string,
  runs: readonly Run[],
  period: Period,
  detailed: boolean,
): object {
  const total = (amount: (run: Run) => number): number =>
    runs.reduce((sum, run) => sum + amount(run) * hoursOf(run, period), 0);
  return {
    tenant_id: project,
    total_hours: total(() => 1),
    total_vcpus_usage: total(({ vcpus }) => vcpus),
    total_memory_mb_usage: total(({ memoryMb }) => memoryMb),
    total_local_gb_usage: total(({ localGb }) => localGb),
    start: naiveIso(period.from),
    stop: naiveIso(period.to),
    ...(detailed ? { server_usages: runs.map((run) => serverUsage(call, run, period)) } : {}),
  };
}

function serverUsage({ now }: ComputeCall, run: Run, period: Period): object {
  return {
    instance_id: run.uuid,
    name: run.name,
    tenant_id: run.projectId,
    flavor: run.flavor,
    vcpus: run.vcpus,
    memory_mb: run.memoryMb,
    local_gb: run.localGb,
    hours: hoursOf(run, period),
    started_at: naiveIso(run.launchedAt),
    ended_at: naiveIsoOrNull(run.terminatedAt),
    state: run.terminatedAt === null ? run.vmState : 'terminated',
    uptime: Math.floor(((run.terminatedAt ?? now) - run.launchedAt) / SECOND),
  };
}
