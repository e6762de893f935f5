// Version discovery.
import { versionList } from '../views/versions.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ImageCall } from '../call.ts';

/** GET / */
export const choose = (call: ImageCall): Reply => versionList(call, 300);

/** GET /versions */
export const list = (call: ImageCall): Reply => versionList(call, 200);
