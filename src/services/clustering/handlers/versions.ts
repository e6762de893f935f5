// Version discovery and build information.
import { ok } from '../../../kernel/http/reply.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { ClusteringCall } from '../call.ts';
import { chooseVersion, versionOf } from '../views/versions.ts';

/** GET / and GET /versions */
export const choose = (call: ClusteringCall): Reply => chooseVersion(call);

/** GET /v1 and GET /v1/ */
export const show = (call: ClusteringCall): Reply => ok({ version: versionOf(call) });

/** GET /v1/build-info */
export const buildInfo = (): Reply =>
  ok({ build_info: { api: { revision: '1.0' }, engine: { revision: '1.0' } } });
