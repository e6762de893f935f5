// The handlers of extensions. The list has those that the emulator serves completely.
import { ok } from '../../../kernel/http/reply.ts';
import { notFound } from '../../../kernel/errors.ts';
import type { Reply } from '../../../kernel/model.ts';
import type { VolumeCall } from '../call.ts';

const extensions: readonly (readonly [
  alias: string,
  name: string,
  description: string,
  updated: string,
])[] = [
  ['os-availability-zone', 'AvailabilityZones', 'Availability zones', '2013-06-27T00:00:00+00:00'],
  ['backups', 'Backups', 'Backups of volumes', '2012-12-12T00:00:00+00:00'],
  [
    'consistencygroups',
    'Consistencygroups',
    'The older form of groups of volumes',
    '2014-08-18T00:00:00+00:00',
  ],
  ['cgsnapshots', 'Cgsnapshots', 'Snapshots of consistency groups', '2014-08-18T00:00:00+00:00'],
  ['capabilities', 'Capabilities', 'The capabilities of a backend', '2015-08-31T00:00:00+00:00'],
  [
    'os-extended-services',
    'ExtendedServices',
    'The reason for which a service is disabled',
    '2014-01-10T00:00:00-00:00',
  ],
  [
    'os-extended-snapshot-attributes',
    'ExtendedSnapshotAttributes',
    'The project and the progress of a snapshot',
    '2012-06-19T00:00:00+00:00',
  ],
  ['os-hosts', 'Hosts', 'Hosts and their usage by each project', '2011-06-29T00:00:00+00:00'],
  ['qos-specs', 'Qos_specs_manage', 'QoS specs of volume types', '2013-08-02T00:00:00+00:00'],
  [
    'os-quota-class-sets',
    'QuotaClasses',
    'Default quotas for the projects without their own',
    '2012-03-12T00:00:00+00:00',
  ],
  ['os-quota-sets', 'Quotas', 'Quotas of projects', '2011-08-08T00:00:00+00:00'],
  [
    'scheduler-stats',
    'Scheduler_stats',
    'The pools on which the scheduler places volumes',
    '2014-09-07T00:00:00+00:00',
  ],
  ['os-services', 'Services', 'The services of Block Storage', '2012-10-28T00:00:00-00:00'],
  [
    'os-snapshot-actions',
    'SnapshotActions',
    'Updates of the status of a snapshot by its driver',
    '2013-07-16T00:00:00+00:00',
  ],
  [
    'os-types-extra-specs',
    'TypesExtraSpecs',
    'Extra specs of volume types, which a backend must meet',
    '2011-08-24T00:00:00+00:00',
  ],
  [
    'os-types-manage',
    'TypesManage',
    'Creates, changes and deletes volume types',
    '2011-08-24T00:00:00+00:00',
  ],
  [
    'os-used-limits',
    'UsedLimits',
    'The usage of a project beside its limits',
    '2013-10-03T00:00:00+00:00',
  ],
  ['os-volume-actions', 'VolumeActions', 'Actions on volumes', '2012-05-31T00:00:00+00:00'],
  [
    'os-volume-encryption-metadata',
    'VolumeEncryptionMetadata',
    'The encryption of a volume',
    '2013-07-10T00:00:00+00:00',
  ],
  ['os-vol-host-attr', 'VolumeHostAttribute', 'The host of a volume', '2011-11-03T00:00:00+00:00'],
  [
    'os-vol-image-meta',
    'VolumeImageMetadata',
    'The properties of the image from which a volume was created',
    '2012-12-07T00:00:00+00:00',
  ],
  [
    'os-vol-mig-status-attr',
    'VolumeMigStatusAttribute',
    'The status of the migration of a volume',
    '2013-08-08T00:00:00+00:00',
  ],
  [
    'os-vol-tenant-attr',
    'VolumeTenantAttribute',
    'The project of a volume',
    '2011-11-03T00:00:00+00:00',
  ],
  [
    'os-volume-transfer',
    'VolumeTransfer',
    'Transfers of volumes between projects',
    '2013-05-29T00:00:00+00:00',
  ],
  [
    'os-volume-type-access',
    'VolumeTypeAccess',
    'The projects that can use a private volume type',
    '2014-06-26T00:00:00Z',
  ],
  [
    'encryption',
    'VolumeTypeEncryption',
    'The encryption of the volumes of a type',
    '2013-07-01T00:00:00+00:00',
  ],
];

const view = ([alias, name, description, updated]: (typeof extensions)[number]): object => ({
  alias,
  name,
  description,
  updated,
  links: [],
});

/** GET /v3/extensions */
export const list = (): Reply => ok({ extensions: extensions.map(view) });

/** GET /v3/extensions/{alias} */
export function show(call: VolumeCall): Reply {
  const found = extensions.find(([alias]) => alias === call.params['alias']);
  if (!found) throw notFound('');
  return ok({ extension: view(found) });
}
