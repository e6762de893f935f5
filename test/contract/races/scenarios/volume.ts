// Concurrent writes of Volume.
import { mustSucceed, type RequestSpec, type Scenario } from '../races.ts';

const volumes = '/volume/v3/volumes';
const backups = '/volume/v3/backups';
const snapshots = '/volume/v3/snapshots';
const volumeType = 'lvmdriver-1';

export const volumeScenarios: readonly Scenario[] = [
  {
    name: 'a volume, its snapshots and its transfer',
    async setup(send, name) {
      const volume = await mustSucceed(
        send,
        ['POST', volumes, { volume: { size: 1, name: `v-${name}` } }],
        'volume.id',
      );
      const type = await mustSucceed(
        send,
        ['POST', '/volume/v3/types', { volume_type: { name: `type-${name}` } }],
        'volume_type.id',
      );
      const other = await mustSucceed(
        send,
        ['POST', volumes, { volume: { size: 1, name: `o-${name}` } }],
        'volume.id',
      );
      const snapshot = await mustSucceed(
        send,
        ['POST', '/volume/v3/snapshots', { snapshot: { volume_id: other } }],
        'snapshot.id',
      );
      await mustSucceed(send, ['GET', `${volumes}/${volume}`]);
      return { volume, other, snapshot, type };
    },
    writes: ({ volume, other, snapshot, type }, name) => {
      const at = `${volumes}/${volume}`;
      const act = (action: string, args: unknown = {}): RequestSpec => [
        'POST',
        `${at}/action`,
        { [action]: args },
      ];
      return {
        rename: ['PUT', at, { volume: { name: `renamed-${name}` } }],
        'put metadata': ['PUT', `${at}/metadata`, { metadata: { a: '1' } }],
        'add metadata': ['POST', `${at}/metadata`, { metadata: { b: '2' } }],
        'delete the volume': ['DELETE', at],
        'create a snapshot': ['POST', '/volume/v3/snapshots', { snapshot: { volume_id: volume } }],
        'delete the snapshot': ['DELETE', `/volume/v3/snapshots/${snapshot}`],
        'delete the volume of the snapshot': ['DELETE', `${volumes}/${other}`],
        'create a volume from the snapshot': [
          'POST',
          volumes,
          { volume: { size: 1, name: `new-${name}`, snapshot_id: snapshot } },
        ],
        'create a volume from the volume': [
          'POST',
          volumes,
          { volume: { size: 1, name: `new-${name}`, source_volid: volume } },
        ],
        'transfer the volume': [
          'POST',
          '/volume/v3/volume-transfers',
          { transfer: { volume_id: volume } },
        ],
        attach: [
          'POST',
          '/volume/v3/attachments',
          { attachment: { volume_uuid: volume, instance_uuid: snapshot } },
        ],
        reserve: act('os-reserve'),
        extend: act('os-extend', { new_size: 3 }),
        'make it read-only': act('os-update_readonly_flag', { readonly: true }),
        retype: act('os-retype', { new_type: `type-${name}`, migration_policy: 'never' }),
        'delete the type': ['DELETE', `/volume/v3/types/${type}`],
        'create a volume of the type': [
          'POST',
          volumes,
          { volume: { size: 1, name: `typed-${name}`, volume_type: type } },
        ],
      };
    },
    reads: ({ volume, other, snapshot, type }, name) => [
      `${volumes}/${volume}`,
      `${volumes}/${other}`,
      `/volume/v3/snapshots/${snapshot}`,
      `/volume/v3/snapshots/detail?volume_id=${volume}`,
      `${volumes}/detail?name=new-${name}`,
      `${volumes}/detail?name=typed-${name}`,
      `/volume/v3/types/${type}`,
      `/volume/v3/volume-transfers/detail`,
      `/volume/v3/attachments/detail?volume_id=${volume}`,
    ],
  },
  {
    name: 'an attachment',
    async setup(send, name) {
      const volume = await mustSucceed(
        send,
        ['POST', volumes, { volume: { size: 1, name } }],
        'volume.id',
      );
      await mustSucceed(send, ['GET', `${volumes}/${volume}`]);
      const body = { attachment: { volume_uuid: volume, instance_uuid: volume } };
      return {
        volume,
        attachment: await mustSucceed(
          send,
          ['POST', '/volume/v3/attachments', body],
          'attachment.id',
        ),
      };
    },
    writes: ({ volume, attachment }) => {
      const at = `/volume/v3/attachments/${attachment}`;
      const connector = {
        initiator: 'iqn',
        ip: '10.0.0.1',
        host: 'h',
        os_type: 'linux',
        platform: 'x86_64',
        mountpoint: '/dev/vdb',
      };
      return {
        connect: ['PUT', at, { attachment: { connector } }],
        complete: ['POST', `${at}/action`, { 'os-complete': null }],
        delete: ['DELETE', at],
        'delete the volume': ['DELETE', `${volumes}/${volume}`],
        'force-delete the volume': [
          'POST',
          `${volumes}/${volume}/action`,
          { 'os-force_delete': {} },
        ],
        'reset the status of the volume': [
          'POST',
          `${volumes}/${volume}/action`,
          { 'os-reset_status': { status: 'available', attach_status: 'detached' } },
        ],
        'detach the volume': ['POST', `${volumes}/${volume}/action`, { 'os-detach': {} }],
        'attach the volume again': [
          'POST',
          '/volume/v3/attachments',
          { attachment: { volume_uuid: volume, instance_uuid: volume } },
        ],
        'attach the volume on another host': [
          'POST',
          '/volume/v3/attachments',
          { attachment: { volume_uuid: volume, instance_uuid: volume, connector } },
        ],
      };
    },
    reads: ({ volume, attachment }) => [
      `${volumes}/${volume}`,
      `/volume/v3/attachments/${attachment}`,
      `/volume/v3/attachments/detail?volume_id=${volume}`,
    ],
  },
  {
    name: 'a volume and its backups',
    async setup(send, name) {
      const body = { volume: { size: 1, name: `v-${name}` } };
      const volume = await mustSucceed(send, ['POST', volumes, body], 'volume.id');
      const target = await mustSucceed(
        send,
        ['POST', volumes, { volume: { size: 1, name: `t-${name}` } }],
        'volume.id',
      );
      await mustSucceed(send, ['GET', `${volumes}/${volume}`]);
      const backup = await mustSucceed(
        send,
        ['POST', backups, { backup: { volume_id: volume, name: `b-${name}`, container: 'c' } }],
        'backup.id',
      );
      await mustSucceed(send, ['GET', `${backups}/${backup}`]);
      return { volume, target, backup };
    },
    writes: ({ volume, target, backup }, name) => {
      const at = `${backups}/${backup}`;
      const another = { volume_id: volume, name: `b-${name}`, container: 'c' };
      return {
        rename: ['PUT', at, { backup: { name: `b-${name}`, description: 'd' } }],
        delete: ['DELETE', at],
        'delete by force': ['POST', `${at}/action`, { 'os-force_delete': {} }],
        'reset the status': ['POST', `${at}/action`, { 'os-reset_status': { status: 'error' } }],
        restore: ['POST', `${at}/restore`, { restore: { volume_id: target } }],
        'back the volume up': ['POST', backups, { backup: another }],
        'back it up incrementally': [
          'POST',
          backups,
          { backup: { ...another, incremental: true } },
        ],
        'delete the volume': ['DELETE', `${volumes}/${volume}`],
        'delete the target': ['DELETE', `${volumes}/${target}`],
        'extend the target': [
          'POST',
          `${volumes}/${target}/action`,
          { 'os-extend': { new_size: 2 } },
        ],
        'create a volume from the backup': [
          'POST',
          volumes,
          { volume: { name: `new-${name}`, size: 1, backup_id: backup } },
        ],
      };
    },
    reads: ({ volume, target, backup }, name) => [
      `${backups}/${backup}`,
      `${backups}/detail?name=b-${name}`,
      `${volumes}/${volume}`,
      `${volumes}/${target}`,
      `${volumes}/detail?name=new-${name}`,
    ],
  },
  {
    name: 'volumes and snapshots at the backend',
    async setup(send, name) {
      const make = (prefix: string): Promise<string> =>
        mustSucceed(
          send,
          ['POST', volumes, { volume: { size: 1, name: `${prefix}-${name}` } }],
          'volume.id',
        );
      const [left, volume, source] = [await make('l'), await make('v'), await make('s')];
      const snapshot = await mustSucceed(
        send,
        ['POST', snapshots, { snapshot: { volume_id: source, name: `s-${name}` } }],
        'snapshot.id',
      );
      await mustSucceed(send, ['GET', `${snapshots}/${snapshot}`]);
      await mustSucceed(send, ['POST', `${volumes}/${left}/action`, { 'os-unmanage': {} }]);
      await mustSucceed(send, ['GET', `${volumes}/${volume}`]);
      return { left, volume, source, snapshot };
    },
    writes: ({ left, volume, source, snapshot }, name) => {
      const manage = (label: string): RequestSpec => [
        'POST',
        '/volume/v3/manageable_volumes',
        {
          volume: {
            host: 'cumulet@lvmdriver-1',
            ref: { 'source-name': `volume-${left}` },
            name: `${label}-${name}`,
          },
        },
      ];
      const act = (id: string, action: object): RequestSpec => [
        'POST',
        `${volumes}/${id}/action`,
        action,
      ];
      return {
        manage: manage('new'),
        'manage it as another': manage('other'),
        'manage it as a snapshot': [
          'POST',
          '/volume/v3/manageable_snapshots',
          { snapshot: { volume_id: volume, ref: `volume-${left}`, name: `s-${name}` } },
        ],
        unmanage: act(volume!, { 'os-unmanage': {} }),
        'unmanage the snapshot': ['POST', `${snapshots}/${snapshot}/action`, { 'os-unmanage': {} }],
        'delete the volume': ['DELETE', `${volumes}/${volume}`],
        'delete the snapshot': ['DELETE', `${snapshots}/${snapshot}`],
        'create a snapshot': [
          'POST',
          snapshots,
          { snapshot: { volume_id: volume, name: `s-${name}` } },
        ],
        'unmanage the source': act(source!, { 'os-unmanage': {} }),
        migrate: act(volume!, {
          'os-migrate_volume': { host: 'cumulet@lvmdriver-1', lock_volume: true },
        }),
        reserve: act(volume!, { 'os-reserve': {} }),
        rename: ['PUT', `${volumes}/${volume}`, { volume: { name: `v-${name}` } }],
        extend: act(volume!, { 'os-extend': { new_size: 2 } }),
      };
    },
    reads: ({ volume, source }, name) => [
      `${volumes}/${volume}`,
      `${volumes}/${source}`,
      `${volumes}/detail?name=new-${name}`,
      `${volumes}/detail?name=other-${name}`,
      `${snapshots}/detail?name=s-${name}`,
    ],
  },
  {
    name: 'a consistency group',
    async setup(send, name) {
      const volume = { size: 1, volume_type: volumeType, name: `v-${name}` };
      const fields = { volume_types: volumeType, name: `cg-${name}` };
      const group = await mustSucceed(
        send,
        ['POST', '/volume/v3/consistencygroups', { consistencygroup: fields }],
        'consistencygroup.id',
      );
      const other = await mustSucceed(send, ['POST', volumes, { volume }], 'volume.id');
      await mustSucceed(send, ['GET', `${volumes}/${other}`]);
      const inside = { ...volume, consistencygroup_id: group };
      const member = await mustSucceed(send, ['POST', volumes, { volume: inside }], 'volume.id');
      const snapshot = await mustSucceed(
        send,
        ['POST', '/volume/v3/cgsnapshots', { cgsnapshot: { consistencygroup_id: group } }],
        'cgsnapshot.id',
      );
      await mustSucceed(send, ['GET', `/volume/v3/cgsnapshots/${snapshot}`]);
      return { group, member, other, snapshot };
    },
    writes: ({ group, member, other, snapshot }, name) => {
      const at = `/volume/v3/consistencygroups/${group}`;
      const copy = (source: object): RequestSpec => [
        'POST',
        '/volume/v3/consistencygroups/create_from_src',
        { 'consistencygroup-from-src': { ...source, name: `copy-${name}` } },
      ];
      return {
        rename: ['PUT', at, { consistencygroup: { name: `renamed-${name}` } }],
        'add a volume': ['PUT', `${at}/update`, { consistencygroup: { add_volumes: other } }],
        'remove a volume': [
          'PUT',
          `${at}/update`,
          { consistencygroup: { remove_volumes: member } },
        ],
        'delete the group': ['POST', `${at}/delete`, {}],
        'delete it by force': ['POST', `${at}/delete`, { consistencygroup: { force: true } }],
        'copy the group': copy({ source_cgid: group }),
        'copy its snapshot': copy({ cgsnapshot_id: snapshot }),
        'create a snapshot': [
          'POST',
          '/volume/v3/cgsnapshots',
          { cgsnapshot: { consistencygroup_id: group, name: `new-${name}` } },
        ],
        'delete the snapshot': ['DELETE', `/volume/v3/cgsnapshots/${snapshot}`],
      };
    },
    reads: ({ group, member, other, snapshot }, name) => [
      `/volume/v3/consistencygroups/${group}`,
      `/volume/v3/consistencygroups/detail?name=copy-${name}`,
      `/volume/v3/cgsnapshots/${snapshot}`,
      `${volumes}/${member}`,
      `${volumes}/${other}`,
    ],
  },
  {
    name: 'a group, its volumes, its type and its snapshots',
    async setup(send, name) {
      const groupType = await mustSucceed(
        send,
        ['POST', '/volume/v3/group_types', { group_type: { name: `gt-${name}` } }],
        'group_type.id',
      );
      const fields = { group_type: groupType, volume_types: [volumeType], name: `g-${name}` };
      const group = await mustSucceed(
        send,
        ['POST', '/volume/v3/groups', { group: fields }],
        'group.id',
      );
      const volume = { size: 1, volume_type: volumeType, name: `v-${name}` };
      const other = await mustSucceed(send, ['POST', volumes, { volume }], 'volume.id');
      await mustSucceed(send, ['GET', `${volumes}/${other}`]);
      const member = await mustSucceed(
        send,
        ['POST', volumes, { volume: { ...volume, group_id: group } }],
        'volume.id',
      );
      await mustSucceed(send, ['GET', `${volumes}/${member}`]);
      return { groupType, group, member, other };
    },
    writes: ({ groupType, group, member, other }, name) => {
      const at = `/volume/v3/groups/${group}`;
      const snapshot = { group_id: group, name: `gs-${name}` };
      return {
        rename: ['PUT', at, { group: { name: `renamed-${name}` } }],
        'add a volume': ['PUT', at, { group: { add_volumes: other } }],
        'remove a volume': ['PUT', at, { group: { remove_volumes: member } }],
        'delete the group': ['POST', `${at}/action`, { delete: {} }],
        'delete the group and its volumes': [
          'POST',
          `${at}/action`,
          { delete: { 'delete-volumes': true } },
        ],
        'reset the status': ['POST', `${at}/action`, { reset_status: { status: 'error' } }],
        'create a group snapshot': [
          'POST',
          '/volume/v3/group_snapshots',
          { group_snapshot: snapshot },
        ],
        'create a snapshot of a volume': [
          'POST',
          '/volume/v3/snapshots',
          { snapshot: { volume_id: member, name: `s-${name}` } },
        ],
        'copy the group': [
          'POST',
          '/volume/v3/groups/action',
          { 'create-from-src': { source_group_id: group, name: `copy-${name}` } },
        ],
        'create a volume in the group': [
          'POST',
          volumes,
          { volume: { size: 1, volume_type: volumeType, group_id: group, name: `new-${name}` } },
        ],
        'delete the other volume': ['DELETE', `${volumes}/${other}`],
        'reset the status of a volume': [
          'POST',
          `${volumes}/${member}/action`,
          { 'os-reset_status': { status: 'error' } },
        ],
        'delete the group type': ['DELETE', `/volume/v3/group_types/${groupType}`],
        'create a group of the type': [
          'POST',
          '/volume/v3/groups',
          { group: { group_type: groupType, volume_types: [volumeType], name: `new-${name}` } },
        ],
      };
    },
    reads: ({ groupType, group, member, other }, name) => [
      `/volume/v3/groups/${group}?list_volume=True`,
      `/volume/v3/groups/detail?name=copy-${name}`,
      `/volume/v3/groups/detail?name=new-${name}`,
      `/volume/v3/group_types/${groupType}`,
      `/volume/v3/group_snapshots/detail?group_id=${group}`,
      `/volume/v3/snapshots/detail?volume_id=${member}`,
      `${volumes}/${member}`,
      `${volumes}/${other}`,
      `${volumes}/detail?name=new-${name}`,
    ],
  },
  {
    name: 'a volume type, its specs, its encryption and QoS',
    async setup(send, name) {
      const type = { name: `type-${name}`, 'os-volume-type-access:is_public': false };
      const id = await mustSucceed(
        send,
        ['POST', '/volume/v3/types', { volume_type: type }],
        'volume_type.id',
      );
      const qos = { qos_specs: { name: `qos-${name}`, consumer: 'back-end', a: '1' } };
      return {
        type: id,
        qos: await mustSucceed(send, ['POST', '/volume/v3/qos-specs', qos], 'qos_specs.id'),
      };
    },
    writes: ({ type, qos }, name) => {
      const at = `/volume/v3/types/${type}`;
      return {
        rename: ['PUT', at, { volume_type: { name: `renamed-${name}` } }],
        describe: ['PUT', at, { volume_type: { description: 'd' } }],
        'add specs': ['POST', `${at}/extra_specs`, { extra_specs: { a: '1' } }],
        'add other specs': ['POST', `${at}/extra_specs`, { extra_specs: { a: '2', b: '2' } }],
        'delete a spec': ['DELETE', `${at}/extra_specs/a`],
        'grant access': ['POST', `${at}/action`, { addProjectAccess: { project: `p-${name}` } }],
        'revoke access': [
          'POST',
          `${at}/action`,
          { removeProjectAccess: { project: `p-${name}` } },
        ],
        encrypt: [
          'POST',
          `${at}/encryption`,
          { encryption: { provider: 'luks', control_location: 'front-end' } },
        ],
        'associate QoS': ['GET', `/volume/v3/qos-specs/${qos}/associate?vol_type_id=${type}`],
        'change QoS': ['PUT', `/volume/v3/qos-specs/${qos}`, { qos_specs: { b: '2' } }],
        'change QoS differently': ['PUT', `/volume/v3/qos-specs/${qos}`, { qos_specs: { c: '3' } }],
        'delete QoS': ['DELETE', `/volume/v3/qos-specs/${qos}`],
        delete: ['DELETE', at],
        'create a volume': [
          'POST',
          volumes,
          { volume: { size: 1, name: `v-${name}`, volume_type: type } },
        ],
      };
    },
    reads: ({ type, qos }, name) => [
      `/volume/v3/types/${type}`,
      `/volume/v3/types/${type}/extra_specs`,
      `/volume/v3/types/${type}/os-volume-type-access`,
      `/volume/v3/types/${type}/encryption`,
      `/volume/v3/qos-specs/${qos}`,
      `/volume/v3/qos-specs/${qos}/associations`,
      `${volumes}/detail?name=v-${name}`,
    ],
  },
];
