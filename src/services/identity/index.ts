// TEMPORARY stub by the kernel's author so that the rest runs; the identity author overwrites this file.
import { versions } from '../../kernel/http/microversion.ts';
import { reply } from '../../kernel/http/call.ts';
import type { Card } from '../../kernel/http/service.ts';
import type { Cloud } from '../../kernel/world.ts';
import type { Authenticate } from '../../kernel/auth/caller.ts';
export const identity: Card<'3.14'> = { name: 'identity', type: 'identity', description: 'Identity', prefix: '/identity', home: 'central', versions: versions('identity', { '3.14': 'x' }), routes: [], policy: {}, before: [], checks: [], tell: (f) => reply(f.status, { error: f.message }), bodyLimit: 114688 };
export const authenticator = (_cloud: Cloud): Authenticate => async () => undefined;
