// The version documents, which need no token.
import { ok, type Reply } from '../../../kernel/http/reply.ts';
import type { ComputeCall } from '../call.ts';
import { documentView, listView } from '../views/versions.ts';

export const list = (call: ComputeCall): Reply => ok(listView(call));
export const show = (call: ComputeCall): Reply => ok(documentView(call, 'v2.1'));
export const showLegacy = (call: ComputeCall): Reply => ok(documentView(call, 'v2.0'));
