// The version documents. They need no token.
import { ok } from '../../../kernel/http/reply.ts';
import { documentView, listView } from '../views/versions.ts';
import type { LocatedRequest, Reply } from '../../../kernel/model.ts';

export const list = (request: LocatedRequest): Reply => ok(listView(request));
export const show = (request: LocatedRequest): Reply => ok(documentView(request, 'v2.1'));
export const showLegacy = (request: LocatedRequest): Reply => ok(documentView(request, 'v2.0'));
