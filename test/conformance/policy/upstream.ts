// Reads upstream's policy rules from a checkout, with the operations that each applies to.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Scope } from '../../../src/kernel/oslo/policy.ts';

/** The Python packages that contain the rules, by service. */
export const packages: Readonly<Record<string, string>> = {
  identity: 'keystone.common.policies',
  placement: 'placement.policies',
  compute: 'nova.policies',
  network: 'neutron.conf.policies',
  volume: 'cinder.policies',
  image: 'glance.policies',
  reservation: 'blazar.policies',
  clustering: 'senlin.common.policies',
};

/** A rule, and the operations that its documentation names. */
export interface UpstreamRule {
  readonly name: string;
  readonly rule: string;
  readonly scopes: readonly Scope[];
  readonly operations: readonly { readonly path: string; readonly method: string | string[] }[];
}

/** Reads the rules of a service. @throws Error if Python cannot import them */
export function rulesOf(service: string, checkouts: readonly string[]): UpstreamRule[] {
  const script = join(import.meta.dirname, 'rules.py');
  const { status, stdout, stderr } = spawnSync(
    'python3',
    [script, packages[service]!, ...checkouts],
    { encoding: 'utf8', maxBuffer: 2 ** 26 },
  );
  if (status !== 0) throw new Error(`${service}: ${stderr}`);
  return JSON.parse(stdout) as UpstreamRule[];
}

/** A path without its version prefix, and with `{}` for each parameter. */
export const plainPath = (path: string): string =>
  path
    .trim()
    .split(/[\s?]/)[0]!
    .replace(/^\/(v[\d.]+|\{api_version\})(?=\/)/, '')
    .replace(/^\/\{(project_id|tenant_id)\}(?=\/)/, '')
    .replaceAll(/\{[^}]*\}|:\w+/g, '{}')
    .replace(/\/$/, '');
