// Handlers of /_emulator/snapshots, /export and /import.
import { isoMicros } from '../../kernel/clock.ts';
import { badRequest } from '../../kernel/errors.ts';
import { noContent, ok, reply } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { announceReplacement } from '../changes/follow.ts';
import type { Snapshot } from './model.ts';
import { headerIn } from './parts.ts';
import {
  checkSnapshotName,
  dropSnapshot,
  exportNow,
  exportOf,
  importDocument,
  restoreSnapshot,
  snapshotNamed,
} from './snapshots.ts';
import { listSnapshots } from './store/snapshots.ts';
import { takeSnapshot } from './take.ts';

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
  return ok({ snapshots: (await listSnapshots(cloud.central.db)).map(view) });
}

/** GET /_emulator/snapshots/:name @throws 404 */
export async function show({ cloud, params }: Call): Promise<Reply> {
  return ok({ snapshot: view(await snapshotNamed(cloud, params['name']!)) });
}

/** PUT /_emulator/snapshots/:name: overwrites an existing snapshot of that name. @throws 400 */
export async function save({ cloud, params }: Call): Promise<Reply> {
  const name = params['name']!;
  checkSnapshotName(name);
  const { snapshot, replaced } = await takeSnapshot(cloud, name);
  return reply(replaced ? 200 : 201, { snapshot: view(snapshot) });
}

/** POST /_emulator/snapshots/:name/restore @throws 404, 409 */
export async function restore({ cloud, params }: Call): Promise<Reply> {
  await cloud.explanations.flush();
  await restoreSnapshot(cloud, params['name']!);
  await announceReplacement(cloud);
  return noContent();
}

/** DELETE /_emulator/snapshots/:name @throws 404 */
export async function remove({ cloud, params }: Call): Promise<Reply> {
  await dropSnapshot(cloud, params['name']!);
  return noContent();
}

/** GET /_emulator/export: the current state, or a snapshot, as a document. @throws 404 */
export async function exportDocument({ cloud, query }: Call): Promise<Reply> {
  const name = query.last('snapshot');
  const texts =
    name === undefined ? await exportNow(cloud) : exportOf(cloud, await snapshotNamed(cloud, name));
  return ok(texts, { 'content-type': 'application/x-ndjson' });
}

/** POST /_emulator/import @throws 400 with the line of the first error; 409 */
export async function importState({ cloud, query, received }: Call): Promise<Reply> {
  if (!received) throw badRequest('The body is missing. Send a document of GET /_emulator/export.');
  const allowsInconsistent = query.last('allow_inconsistent') === 'true';
  await cloud.explanations.flush();
  await importDocument(cloud, received.stream(), { allowsInconsistent });
  await announceReplacement(cloud);
  return noContent();
}
