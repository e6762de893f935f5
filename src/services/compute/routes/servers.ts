// The routes of servers and their sub-resources. The handlers enforce the policy rules, because the
// target of most rules is a server.
import { serverActions } from '../handlers/servers/actions/index.ts';
import * as consoles from '../handlers/servers/consoles.ts';
import * as consoleTokens from '../handlers/servers/console-tokens.ts';
import * as diagnostics from '../handlers/servers/diagnostics.ts';
import * as actions from '../handlers/servers/instance-actions.ts';
import * as interfaces from '../handlers/servers/interfaces.ts';
import * as ips from '../handlers/servers/ips.ts';
import * as lists from '../handlers/servers/list.ts';
import * as metadata from '../handlers/servers/metadata.ts';
import * as migrations from '../handlers/servers/migrations.ts';
import * as password from '../handlers/servers/password.ts';
import * as tags from '../handlers/servers/tags.ts';
import * as topology from '../handlers/servers/topology.ts';
import * as volumes from '../handlers/servers/volumes.ts';
import * as servers from '../handlers/servers/servers.ts';
import type { ComputeRoute } from '../call.ts';
import { act } from '../../../kernel/http/actions.ts';

const server = '/v2.1/servers/:server_id';

export const serverRoutes: readonly ComputeRoute[] = [
  { method: 'GET', path: '/v2.1/servers', handler: lists.list },
  { method: 'GET', path: '/v2.1/servers/detail', handler: lists.detail },
  { method: 'POST', path: '/v2.1/servers', handler: servers.create },
  { method: 'GET', path: '/v2.1/servers/:id', handler: servers.show },
  { method: 'PUT', path: '/v2.1/servers/:id', handler: servers.update },
  { method: 'DELETE', path: '/v2.1/servers/:id', handler: servers.remove },
  { method: 'POST', path: '/v2.1/servers/:id/action', handler: act, actions: serverActions },

  { method: 'GET', path: `${server}/metadata`, handler: metadata.list },
  { method: 'POST', path: `${server}/metadata`, handler: metadata.create },
  { method: 'PUT', path: `${server}/metadata`, handler: metadata.replace },
  { method: 'GET', path: `${server}/metadata/:id`, handler: metadata.show },
  { method: 'PUT', path: `${server}/metadata/:id`, handler: metadata.update },
  { method: 'DELETE', path: `${server}/metadata/:id`, handler: metadata.remove },

  { method: 'GET', path: `${server}/tags`, span: ['2.26'], handler: tags.list },
  { method: 'PUT', path: `${server}/tags`, span: ['2.26'], handler: tags.replace },
  { method: 'DELETE', path: `${server}/tags`, span: ['2.26'], handler: tags.removeAll },
  { method: 'GET', path: `${server}/tags/:id`, span: ['2.26'], handler: tags.show },
  { method: 'PUT', path: `${server}/tags/:id`, span: ['2.26'], handler: tags.update },
  { method: 'DELETE', path: `${server}/tags/:id`, span: ['2.26'], handler: tags.remove },

  { method: 'GET', path: `${server}/ips`, handler: ips.list },
  { method: 'GET', path: `${server}/ips/:id`, handler: ips.show },

  { method: 'GET', path: `${server}/os-interface`, handler: interfaces.list },
  { method: 'POST', path: `${server}/os-interface`, handler: interfaces.create },
  { method: 'GET', path: `${server}/os-interface/:id`, handler: interfaces.show },
  { method: 'DELETE', path: `${server}/os-interface/:id`, handler: interfaces.remove },

  { method: 'GET', path: `${server}/os-volume_attachments`, handler: volumes.list },
  { method: 'POST', path: `${server}/os-volume_attachments`, handler: volumes.create },
  { method: 'GET', path: `${server}/os-volume_attachments/:id`, handler: volumes.show },
  { method: 'PUT', path: `${server}/os-volume_attachments/:id`, handler: volumes.update },
  { method: 'DELETE', path: `${server}/os-volume_attachments/:id`, handler: volumes.remove },

  { method: 'GET', path: `${server}/os-instance-actions`, handler: actions.list },
  { method: 'GET', path: `${server}/os-instance-actions/:id`, handler: actions.show },

  { method: 'GET', path: `${server}/os-server-password`, handler: password.show },
  { method: 'DELETE', path: `${server}/os-server-password`, handler: password.remove },
  { method: 'GET', path: `${server}/diagnostics`, handler: diagnostics.show },
  { method: 'GET', path: `${server}/topology`, span: ['2.78'], handler: topology.show },
  { method: 'POST', path: `${server}/remote-consoles`, span: ['2.6'], handler: consoles.create },
  { method: 'GET', path: '/v2.1/os-console-auth-tokens/:id', handler: consoleTokens.show },
  // What a console's URL leads to. Upstream has proxies for it, on ports of their own.
  { method: 'GET', path: '/console/:type', handler: consoleTokens.page, open: true },

  { method: 'GET', path: `${server}/migrations`, span: ['2.23'], handler: migrations.list },
  { method: 'GET', path: `${server}/migrations/:id`, span: ['2.23'], handler: migrations.show },
  {
    method: 'POST',
    path: `${server}/migrations/:id/action`,
    span: ['2.22'],
    handler: act,
    actions: { force_complete: migrations.forceComplete },
  },
  {
    method: 'DELETE',
    path: `${server}/migrations/:id`,
    span: ['2.24'],
    handler: migrations.remove,
  },
  { method: 'GET', path: '/v2.1/os-migrations', handler: migrations.listAll },
];
