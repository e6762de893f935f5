// Snapshots of volumes, until 2.35. Compute forwards the requests to the Volume service. Upstream:
// api/openstack/compute/snapshots.py.
import { ok, reply } from '../../../../kernel/http/reply.ts';
import { notFound } from '../../../../kernel/errors.ts';
import { callVolume, type CinderSnapshot } from '../../clients/volume.ts';
import type { ComputeCall } from '../../call.ts';
import { snapshotView } from '../../views/proxies/volumes.ts';
import { pageAtOffset } from '../paging.ts';
import type { ErrorTranslations } from '../../clients/client.ts';
import { fetchAll, volumeErrors } from './volumes.ts';
import { boolFromString } from '../../../../kernel/oslo/booleans.ts';
import type { Reply } from '../../../../kernel/model.ts';

const collection = '/v3/snapshots';

/** GET /os-snapshots and GET /os-snapshots/detail, which return the same. */
export async function list(call: ComputeCall): Promise<Reply> {
  const snapshots = await fetchAll<CinderSnapshot>(call, `${collection}/detail`, 'snapshots');
  const page = await pageAtOffset(call, snapshots);
  return ok({ snapshots: page.map(snapshotView) });
}

const notFoundErrors = (id: string): ErrorTranslations => ({
  404: () => notFound(`Snapshot ${id} could not be found.`),
});

const pathOf = (id: string): string => `${collection}/${encodeURIComponent(id)}`;

/** A snapshot. @throws 404 if the caller cannot see it */
export async function snapshotOf(call: ComputeCall, id: string): Promise<CinderSnapshot> {
  const request = { method: 'GET', path: pathOf(id) };
  return (await callVolume<{ snapshot: CinderSnapshot }>(call, request, notFoundErrors(id)))
    .snapshot;
}

/** GET /os-snapshots/{id} */
export async function show(call: ComputeCall): Promise<Reply> {
  return ok({ snapshot: snapshotView(await snapshotOf(call, call.params['id']!)) });
}

/** DELETE /os-snapshots/{id} */
export async function remove(call: ComputeCall): Promise<Reply> {
  const id = call.params['id']!;
  await callVolume(
    call,
    { method: 'DELETE', path: pathOf(id) },
    { ...volumeErrors(call), ...notFoundErrors(id) },
  );
  return reply(202);
}

interface Body {
  readonly snapshot: {
    readonly volume_id: string;
    readonly force?: boolean | string;
    readonly display_name?: string;
    readonly display_description?: string;
  };
}

/** POST /os-snapshots */
export async function create(call: ComputeCall): Promise<Reply> {
  const {
    volume_id: id,
    force = false,
    display_name: name,
    display_description: description,
  } = (call.body as Body).snapshot;
  const fields = {
    volume_id: id,
    force: typeof force === 'string' ? boolFromString(force)! : force,
    name: name ?? null,
    description: description ?? null,
  };
  const { snapshot } = await callVolume<{ snapshot: CinderSnapshot }>(
    call,
    { method: 'POST', path: collection, body: { snapshot: fields } },
    { ...volumeErrors(call), 404: () => notFound(`Volume ${id} could not be found.`) },
  );
  return ok({ snapshot: snapshotView(snapshot) });
}
