// Named snapshots of the cloud: list, take, show, put back, drop.
import { isoMicros } from '../../kernel/clock.ts';
import { listedSnapshots, type Snapshot } from './store.ts';
import { noContent, ok, reply } from '../../kernel/http/reply.ts';
import { checkSnapshotName, dropSnapshot, restoreSnapshot, snapshotNamed } from './named.ts';
import { headerIn } from './parts.ts';
import { takeSnapshot } from './take.ts';
import type { Call, Reply } from '../../kernel/model.ts';

function view(snapshot: Snapshot): object {
  const { cumulet, now, regions } = headerIn(snapshot);
  return {
    name: snapshot.name,
    created_at: isoMicros(snapshot.createdAt),
    now,
    version: cumulet,
    regions: regions.map(({ name }) => name),
    size: snapshot.size,
    rows: snapshot.rowCount,
  };
}

/** GET /_emulator/snapshots */
export async function list({ cloud }: Call): Promise<Reply> {
  return ok({ snapshots: (await listedSnapshots(cloud.central.db)).map(view) });
}

/** GET /_emulator/snapshots/:name @throws 404 */
export async function show({ cloud, params }: Call): Promise<Reply> {
  return ok({ snapshot: view(await snapshotNamed(cloud, params['name']!)) });
}

/** PUT /_emulator/snapshots/:name: takes one, in the place of any that has the name. @throws 400 */
export async function save({ cloud, params }: Call): Promise<Reply> {
  const name = params['name']!;
  checkSnapshotName(name);
  const { snapshot, replaced } = await takeSnapshot(cloud, name);
  return reply(replaced ? 200 : 201, { snapshot: view(snapshot) });
}

/** POST /_emulator/snapshots/:name/restore @throws 404, 409 */
export async function restore({ cloud, params }: Call): Promise<Reply> {
  await restoreSnapshot(cloud, params['name']!);
  return noContent();
}

/** DELETE /_emulator/snapshots/:name @throws 404 */
export async function remove({ cloud, params }: Call): Promise<Reply> {
  await dropSnapshot(cloud, params['name']!);
  return noContent();
}
