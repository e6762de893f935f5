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
  [
    'os-availability-zone',
    'AvailabilityZones',
    'The zones that there are',
    '2013-06-27T00:00:00+00:00',
  ],
  ['capabilities', 'Capabilities', 'What a backend can do', '2015-08-31T00:00:00+00:00'],
  [
    'os-extended-services',
    'ExtendedServices',
    'Why services are disabled',
    '2014-01-10T00:00:00-00:00',
  ],
  [
    'os-extended-snapshot-attributes',
    'ExtendedSnapshotAttributes',
    'Whose snapshots are, and how far',
    '2012-06-19T00:00:00+00:00',
  ],
  ['os-hosts', 'Hosts', 'Hosts, and what is on them', '2011-06-29T00:00:00+00:00'],
  [
    'qos-specs',
    'Qos_specs_manage',
    'How much volumes of a type may do',
    '2013-08-02T00:00:00+00:00',
  ],
  [
    'os-quota-class-sets',
    'QuotaClasses',
    'Limits of whoever has none of their own',
    '2012-03-12T00:00:00+00:00',
  ],
  ['os-quota-sets', 'Quotas', 'How much a project may have', '2011-08-08T00:00:00+00:00'],
  [
    'scheduler-stats',
    'Scheduler_stats',
    'The pools that volumes go to',
    '2014-09-07T00:00:00+00:00',
  ],
  ['os-services', 'Services', 'The services that Volume is made of', '2012-10-28T00:00:00-00:00'],
  [
    'os-snapshot-actions',
    'SnapshotActions',
    'What drivers say of snapshots',
    '2013-07-16T00:00:00+00:00',
  ],
  [
    'os-types-extra-specs',
    'TypesExtraSpecs',
    'What a type wants of a backend',
    '2011-08-24T00:00:00+00:00',
  ],
  ['os-types-manage', 'TypesManage', 'Types that come and go', '2011-08-24T00:00:00+00:00'],
  [
    'os-used-limits',
    'UsedLimits',
    'How much of its limits a project has used',
    '2013-10-03T00:00:00+00:00',
  ],
  [
    'os-volume-actions',
    'VolumeActions',
    'What can be done with a volume',
    '2012-05-31T00:00:00+00:00',
  ],
  [
    'os-volume-encryption-metadata',
    'VolumeEncryptionMetadata',
    'How a volume is encrypted',
    '2013-07-10T00:00:00+00:00',
  ],
  ['os-vol-host-attr', 'VolumeHostAttribute', 'Where a volume is', '2011-11-03T00:00:00+00:00'],
  [
    'os-vol-image-meta',
    'VolumeImageMetadata',
    'The image that a volume comes from',
    '2012-12-07T00:00:00+00:00',
  ],
  [
    'os-vol-mig-status-attr',
    'VolumeMigStatusAttribute',
    'Whether a volume is on its way',
    '2013-08-08T00:00:00+00:00',
  ],
  ['os-vol-tenant-attr', 'VolumeTenantAttribute', 'Whose a volume is', '2011-11-03T00:00:00+00:00'],
  [
    'os-volume-transfer',
    'VolumeTransfer',
    'Volumes that go from project to project',
    '2013-05-29T00:00:00+00:00',
  ],
  ['os-volume-type-access', 'VolumeTypeAccess', 'Who sees a type', '2014-06-26T00:00:00Z'],
  [
    'encryption',
    'VolumeTypeEncryption',
    'How the volumes of a type are encrypted',
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
