// Volumes, until 2.35. Compute forwards the requests to the Volume service. Upstream:
// api/openstack/compute/volumes.py.
import { ok, reply } from '../../../../kernel/http/reply.ts';
import { badRequest, ApiError, forbidden, notFound } from '../../../../kernel/errors.ts';
import { callVolume, volumeErrorMessage, type CinderVolume } from '../../clients/volume.ts';
import type { ComputeCall } from '../../call.ts';
import { hrefTo } from '../../views/links.ts';
import { volumeView } from '../../views/proxies/volumes.ts';
import { pageAtOffset } from '../paging.ts';
import type { ErrorTranslations } from '../../clients/client.ts';
import type { Reply } from '../../../../kernel/model.ts';

const collection = '/v3/volumes';

/** Translates the errors of the Volume service to those of Nova. */
export const volumeErrors = (call: ComputeCall): ErrorTranslations => ({
  400: (error) => badRequest(`Invalid input received: ${volumeErrorMessage(call, error)}`),
  413: (error) => forbidden(error.message),
});

/** Fetches all resources of a list, page by page. */
export async function fetchAll<T extends { readonly id: string }>(
  call: ComputeCall,
  path: string,
  noun: string,
): Promise<T[]> {
  const resources: T[] = [];
  for (;;) {
    const last = resources.at(-1);
    const query = last ? [['marker', last.id] as const] : [];
    const page = await callVolume<Record<string, T[]>>(call, { method: 'GET', path, query });
    resources.push(...page[noun]!);
    if (!page[`${noun}_links`]) return resources;
  }
}

/** GET /os-volumes and GET /os-volumes/detail, which return the same. */
export async function list(call: ComputeCall): Promise<Reply> {
  const volumes = await fetchAll<CinderVolume>(call, `${collection}/detail`, 'volumes');
  const page = await pageAtOffset(call, volumes);
  return ok({ volumes: page.map(volumeView) });
}

const notFoundErrors = (call: ComputeCall): ErrorTranslations => ({
  404: () => notFound(`Volume ${call.params['id']} could not be found.`),
});

const pathOf = (call: ComputeCall): string =>
  `${collection}/${encodeURIComponent(call.params['id']!)}`;

/** GET /os-volumes/{id} */
export async function show(call: ComputeCall): Promise<Reply> {
  const request = { method: 'GET', path: pathOf(call) };
  return ok({
    volume: volumeView(
      (await callVolume<{ volume: CinderVolume }>(call, request, notFoundErrors(call))).volume,
    ),
  });
}

/** DELETE /os-volumes/{id} */
export async function remove(call: ComputeCall): Promise<Reply> {
  const request = { method: 'DELETE', path: pathOf(call) };
  await callVolume(call, request, { ...volumeErrors(call), ...notFoundErrors(call) });
  return reply(202);
}

interface Body {
  readonly volume: {
    readonly size: number | string;
    readonly volume_type?: string;
    readonly metadata?: object;
    readonly snapshot_id?: string;
    readonly availability_zone?: string;
    readonly display_name?: string;
    readonly display_description?: string;
  };
}

/** @throws 404 if the snapshot to create the volume from does not exist */
async function checkSnapshot(call: ComputeCall, id: string): Promise<void> {
  const request = { method: 'GET', path: `/v3/snapshots/${encodeURIComponent(id)}` };
  await callVolume(call, request, {
    404: () => notFound(`Snapshot ${id} could not be found.`),
  });
}

/** POST /os-volumes */
export async function create(call: ComputeCall): Promise<Reply> {
  const {
    display_name: name,
    display_description: description,
    snapshot_id: snapshotId,
    ...rest
  } = (call.body as Body).volume;
  if (snapshotId !== undefined) await checkSnapshot(call, snapshotId);
  const fields = {
    ...rest,
    snapshot_id: snapshotId ?? null,
    name: name ?? null,
    description: description ?? null,
  };
  const request = { method: 'POST', path: collection, body: { volume: fields } };
  const { volume } = await callVolume<{ volume: CinderVolume }>(call, request, {
    ...volumeErrors(call),
    404: (error: ApiError) => notFound(error.message),
  });
  return ok({ volume: volumeView(volume) }, { location: hrefTo(call, `os-volumes/${volume.id}`) });
}
