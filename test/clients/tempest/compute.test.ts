// Runs tempest's tests of Compute, except those of servers and admin operations.
import { declareTempest } from './tempest.ts';

declareTempest(
  'tempest.api.compute.certificates',
  'tempest.api.compute.flavors',
  'tempest.api.compute.floating_ips',
  'tempest.api.compute.images',
  'tempest.api.compute.keypairs',
  'tempest.api.compute.limits',
  'tempest.api.compute.security_groups',
  'tempest.api.compute.volumes',
  'tempest.api.compute.test_extensions',
  'tempest.api.compute.test_networks',
  'tempest.api.compute.test_quotas',
  'tempest.api.compute.test_tenant_networks',
  'tempest.api.compute.test_versions',
);
