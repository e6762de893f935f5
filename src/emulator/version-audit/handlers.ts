// Handler of GET /_emulator/requests/versions.
import { ok } from '../../kernel/http/reply.ts';
import type { Call, Reply } from '../../kernel/model.ts';
import { matchIn } from '../journal/matching.ts';
import { auditVersions } from './audit.ts';

/** GET /_emulator/requests/versions: the microversion audit. @throws 400, 409 */
export async function show({ cloud, query }: Call): Promise<Reply> {
  return ok({ clients: await auditVersions(cloud, matchIn(query)) });
}
