// The routes of os-hosts and of usage audits.
import * as hosts from '../handlers/hosts/hosts.ts';
import * as audits from '../handlers/usage-audit-log.ts';
import type { ComputeRoute } from '../call.ts';

const policy = (name: string): { policy: string } => ({ policy: `os_compute_api:${name}` });

const host = '/v2.1/os-hosts/:id';
const audit = '/v2.1/os-instance_usage_audit_log';

export const hostRoutes: readonly ComputeRoute[] = [
  {
    method: 'GET',
    path: '/v2.1/os-hosts',
    span: ['2.1', '2.42'],
    handler: hosts.list,
    ...policy('os-hosts:list'),
  },
  {
    method: 'GET',
    path: host,
    span: ['2.1', '2.42'],
    handler: hosts.show,
    ...policy('os-hosts:show'),
  },
  {
    method: 'PUT',
    path: host,
    span: ['2.1', '2.42'],
    handler: hosts.update,
    ...policy('os-hosts:update'),
  },
  {
    method: 'GET',
    path: `${host}/startup`,
    span: ['2.1', '2.42'],
    handler: hosts.actPower,
    ...policy('os-hosts:start'),
  },
  {
    method: 'GET',
    path: `${host}/shutdown`,
    span: ['2.1', '2.42'],
    handler: hosts.actPower,
    ...policy('os-hosts:shutdown'),
  },
  {
    method: 'GET',
    path: `${host}/reboot`,
    span: ['2.1', '2.42'],
    handler: hosts.actPower,
    ...policy('os-hosts:reboot'),
  },

  {
    method: 'GET',
    path: audit,
    handler: audits.list,
    ...policy('os-instance-usage-audit-log:list'),
  },
  {
    method: 'GET',
    path: `${audit}/:id`,
    handler: audits.show,
    ...policy('os-instance-usage-audit-log:show'),
  },
];
