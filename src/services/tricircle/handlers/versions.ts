// Versions: list, show.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { TricircleCall } from '../call.ts';
import { versionsView, versionView } from '../views/versions.ts';

/** GET / */
export const list = (call: TricircleCall): Reply => ok(versionsView(call));

/** GET /v1.0 */
export const show = (call: TricircleCall): Reply => ok(versionView(call));
