// Inserts servers into the tables, without scheduling, for tests that count or show servers.
import { parseTime } from '../../../../src/kernel/clock.ts';
import { newUuid } from '../../../../src/kernel/ids.ts';
import { noon, type World } from '../../../support/cloud.ts';
import { insertServers } from '../../../../src/services/compute/store/servers/servers.ts';
import type { NewServer } from '../../../../src/services/compute/model.ts';

export interface ByHand {
  readonly name?: string;
  readonly vcpus?: number;
  readonly ram?: number;
  readonly host?: string;
  readonly launched?: string;
  readonly terminated?: string;
}

/** Inserts a server of the user and project `demo`. */
export async function putServer(
  world: World,
  { name = 'vm', vcpus = 1, ram = 64, host, launched, terminated }: ByHand = {},
): Promise<NewServer> {
  const ended = terminated === undefined ? null : parseTime(terminated)!;
  const server: NewServer = {
    uuid: newUuid(),
    name,
    description: null,
    hostname: name,
    projectId: 'demo',
    userId: 'demo',
    vmState: 'active',
    taskState: null,
    powerState: 1,
    progress: 0,
    imageId: '',
    onVolume: true,
    imageProperties: {},
    flavor: { id: 'f', name: 'f', vcpus, ram, disk: 1, ephemeral: 0, swap: 0, extraSpecs: {} },
    host: host ?? null,
    node: host ?? null,
    zone: null,
    pinnedZone: null,
    shelvedImageId: null,
    keyName: null,
    configDrive: '',
    userData: null,
    accessIpV4: null,
    accessIpV6: null,
    diskConfig: 'MANUAL',
    launchIndex: 0,
    reservationId: 'r-aaaaaaaa',
    rootDeviceName: null,
    lockedBy: null,
    lockedReason: null,
    metadata: {},
    tags: [],
    hints: {},
    trustedCerts: null,
    groupId: null,
    securityGroups: [],
    fault: null,
    actionId: null,
    createdAt: noon,
    updatedAt: noon,
    launchedAt: launched === undefined ? noon : parseTime(launched)!,
    terminatedAt: ended,
    softDeletedAt: null,
    deletedAt: ended,
  };
  await insertServers(world.cloud.firstRegion.database.db, [server]);
  return server;
}
