// All that the cloud holds as one document: export and import.
import { badRequest } from '../../kernel/errors.ts';
import { noContent, ok } from '../../kernel/http/reply.ts';
import { exportNow, exportOf, importDocument, snapshotNamed } from './named.ts';
import type { Call, Reply } from '../../kernel/model.ts';

/** GET /_emulator/export @throws 404 for a snapshot that there is not */
export async function show({ cloud, query }: Call): Promise<Reply> {
  const name = query.last('snapshot');
  const texts =
    name === undefined ? await exportNow(cloud) : exportOf(cloud, await snapshotNamed(cloud, name));
  return ok(texts, { 'content-type': 'application/x-ndjson' });
}

/** POST /_emulator/import @throws 400 with the place of what is wrong, 409 */
export async function create({ cloud, received }: Call): Promise<Reply> {
  if (!received) throw badRequest('A document is expected.');
  await importDocument(cloud, received.stream());
  return noContent();
}
