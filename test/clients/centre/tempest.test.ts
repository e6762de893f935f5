// Runs tempest's tests of Compute, Network and Block Storage in a central region.
import { declareTempestAtCentre } from '../tempest/tempest.ts';

declareTempestAtCentre(
  new URL('tempest-exceptions.yaml', import.meta.url),
  'tempest.api.network',
  'tempest.api.compute.flavors',
  'tempest.api.compute.floating_ips',
  'tempest.api.compute.images',
  'tempest.api.compute.keypairs',
  'tempest.api.compute.limits',
  'tempest.api.compute.security_groups',
  'tempest.api.compute.servers',
  'tempest.api.compute.volumes',
  'tempest.api.compute.test_extensions',
  'tempest.api.compute.test_networks',
  'tempest.api.compute.test_quotas',
  'tempest.api.compute.test_tenant_networks',
  'tempest.api.compute.test_versions',
  'tempest.api.compute.admin',
  'tempest.api.volume',
);
