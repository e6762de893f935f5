// Discovery: which versions there are.
import type { Reply } from '../../../kernel/http/reply.ts';
import type { ImageCall } from '../index.ts';
import { versionList } from '../views/versions.ts';

/** GET / */
export const choose = (call: ImageCall): Reply => versionList(call, 300);

/** GET /versions */
export const list = (call: ImageCall): Reply => versionList(call, 200);
