// Handlers for os-simple-tenant-usage: the servers of all pods, summed up for each project.
import { grouped } from '../../../kernel/db/grouping.ts';
import { badRequest } from '../../../kernel/errors.ts';
import { ok } from '../../../kernel/http/reply.ts';
import type { GatewayCall, Json } from '../call.ts';
import { requestFromCentre } from '../clients/centre.ts';
import { isSuccess } from '../clients/message.ts';
import { bottomPods, podsOfProject, type Pod } from '../clients/tricircle.ts';
import { pageOf } from '../domain/merge.ts';
import { maxPageSize } from '../domain/pod-lists.ts';
import {
  readServerUsages,
  sumUsages,
  wholeQuery,
  type Period,
  type ServerUsage,
} from '../domain/server-usages.ts';
import { replyOf } from '../views/replies.ts';
import { linkToNext, orRefusal } from './lists.ts';

/** The page of servers that a request asks for, which from 2.40 on has a limit and a marker. */
interface UsagePage {
  readonly servers: readonly ServerUsage[];
  /** Undefined if no pod has a server in the period. */
  readonly period?: Period;
  readonly links: Json;
}

/** GET /os-simple-tenant-usage */
export const list = orRefusal(async (call) => {
  const checked = await requestFromCentre(call, { query: wholeQuery(call, {}) });
  if (!isSuccess(checked)) return replyOf(checked);
  const link = { key: 'tenant_usages', linkPath: '/os-simple-tenant-usage' };
  const { servers, period, links } = await readPage(call, await bottomPods(call), link);
  const isDetailed = call.query.first('detailed') === '1';
  const usages = [...grouped(servers, (server) => server.tenant_id)].map(([project, own]) => ({
    ...sumUsages(project, own, period!),
    ...(isDetailed ? { server_usages: own } : {}),
  }));
  return ok({ tenant_usages: usages, ...links });
});

/** GET /os-simple-tenant-usage/:id */
export const show = orRefusal(async (call) => {
  const checked = await requestFromCentre(call, { query: wholeQuery(call, {}) });
  if (!isSuccess(checked)) return replyOf(checked);
  const project = call.params['id']!;
  const link = { key: 'tenant_usage', linkPath: `/os-simple-tenant-usage/${project}` };
  const { servers, period, links } = await readPage(call, await podsOfProject(call, project), link);
  const usage = servers.length
    ? { ...sumUsages(project, servers, period!), server_usages: servers }
    : {};
  return ok({ tenant_usage: usage, ...links });
});

/** Reads the page of servers that the client asks for. @throws 400 for an unknown marker */
async function readPage(
  call: GatewayCall,
  pods: readonly Pod[],
  link: Parameters<typeof linkToNext>[1],
): Promise<UsagePage> {
  const { servers: all, ...period } = await readServerUsages(call, pods);
  if (!call.version.has('2.40')) return { servers: all, ...period, links: {} };
  const limit = Math.min(Number(call.query.last('limit') ?? maxPageSize), maxPageSize);
  const page = pageOf(
    all.map((server) => ({ ...server, id: server.instance_id })),
    {
      limit,
      marker: call.query.last('marker'),
      offset: 0,
      unknownMarker: (marker) => badRequest(`Marker ${marker} could not be found.`),
    },
  );
  const servers = page.map(({ id: _, ...server }) => server);
  const last = servers.length < limit ? undefined : servers.at(-1)?.instance_id;
  return { servers, ...period, links: linkToNext(call, link, last) };
}
