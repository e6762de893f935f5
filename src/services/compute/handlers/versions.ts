// The version documents. They need no token.
import { ok } from '../../../kernel/http/reply.ts';
import type { ComputeCall } from '../call.ts';
import { documentView, listView } from '../views/versions.ts';
import type { Reply } from '../../../kernel/model.ts';

export const list = (call: ComputeCall): Reply => ok(listView(call));
export const show = (call: ComputeCall): Reply => ok(documentView(call, 'v2.1'));
export const showLegacy = (call: ComputeCall): Reply => ok(documentView(call, 'v2.0'));
