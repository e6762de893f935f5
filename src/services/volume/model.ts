// Volume's records: volumes, snapshots, attachments, types, and what belongs to them.
import type { Micros } from '../../kernel/clock.ts';

export type Metadata = Readonly<Record<string, string>>;

/** A volume's attachment to a server, or to a host. */
export interface Attachment {
  readonly id: string;
  readonly volumeId: string;
  readonly projectId: string;
  readonly instanceUuid: string | null;
  readonly hostName: string | null;
  readonly mountpoint: string | null;
  /** `rw` or `ro`. */
  readonly mode: string | null;
  /** `reserved`, `attaching` or `attached`. */
  readonly status: string;
  readonly connector: Readonly<Record<string, unknown>> | null;
  readonly connectionInfo: Readonly<Record<string, unknown>>;
  /** Created for a server by Compute, which alone may detach it. */
  readonly byCompute: boolean;
  readonly attachedAt: Micros | null;
  readonly createdAt: Micros;
}

export interface Volume {
  readonly id: string;
  readonly projectId: string;
  readonly userId: string;
  readonly name: string | null;
  readonly description: string | null;
  /** GiB. */
  readonly size: number;
  readonly status: string;
  /** The status that a running action ends in. */
  readonly previousStatus: string | null;
  readonly attachStatus: string;
  readonly migrationStatus: string | null;
  readonly typeId: string;
  readonly typeName: string;
  readonly availabilityZone: string;
  readonly host: string | null;
  readonly snapshotId: string | null;
  readonly sourceVolid: string | null;
  readonly bootable: boolean;
  readonly multiattach: boolean;
  readonly readonly: boolean | null;
  readonly attachedMode: string | null;
  readonly imageMetadata: Metadata;
  readonly encrypted: boolean;
  /** Counts the writes, for compare-and-swap. */
  readonly revision: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
  readonly metadata: Metadata;
  readonly attachments: readonly Attachment[];
}

export interface Snapshot {
  readonly id: string;
  readonly volumeId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly name: string | null;
  readonly description: string | null;
  /** GiB. */
  readonly size: number;
  readonly status: string;
  readonly progress: string;
  readonly typeId: string;
  /** Counts the writes, for compare-and-swap. */
  readonly revision: number;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
  readonly metadata: Metadata;
}

export interface VolumeType {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly isPublic: boolean;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
  readonly extraSpecs: Metadata;
  readonly qosSpecsId: string | null;
  /** The projects that see a private type. */
  readonly projects: readonly string[];
}

/**
 * QoS specs, and their consumer, which enforces them: `front-end` is the server's host, `back-end`
 * the storage.
 */
export interface QosSpecs {
  readonly id: string;
  readonly name: string;
  readonly consumer: string;
  readonly specs: Readonly<Record<string, string | null>>;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** The encryption of a volume type. */
export interface Encryption {
  readonly id: string;
  readonly typeId: string;
  readonly provider: string;
  readonly controlLocation: string;
  readonly cipher: string | null;
  /** Bits. */
  readonly keySize: number | null;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** The only availability zone. */
export const zone = 'nova';

/** How many rows a page of a list has. Upstream: osapi_max_limit in cinder/api/common.py. */
export const pageLimits = { default: 1000, max: 1000 };

/** The pool of the only backend, which is the host of every volume that was created. */
export const pool = 'cumulet@lvmdriver-1#lvmdriver-1';

/** The type of volumes whose request names none. Upstream: default_volume_type of DevStack. */
export const defaultTypeName = 'lvmdriver-1';

/** A message to a project about an asynchronous failure. */
export interface Message {
  readonly id: string;
  readonly projectId: string;
  readonly requestId: string;
  readonly resourceType: string;
  readonly resourceUuid: string;
  readonly actionId: string;
  readonly detailId: string;
  readonly eventId: string;
  readonly level: string;
  readonly createdAt: Micros;
  readonly expiresAt: Micros;
}

/** The transfer of a volume to whichever project has its key, of which only a hash is kept. */
export interface Transfer {
  readonly id: string;
  readonly volumeId: string;
  readonly name: string | null;
  readonly salt: string;
  readonly cryptHash: string;
  readonly noSnapshots: boolean;
  readonly sourceProjectId: string;
  readonly createdAt: Micros;
}

/** What an operator has set for a service. */
/** The type of a project's volumes whose request names none. */
export interface DefaultType {
  readonly projectId: string;
  readonly typeId: string;
}

export interface ServiceState {
  readonly binary: string;
  readonly host: string;
  readonly disabled: boolean;
  readonly disabledReason: string | null;
  /** Whether nothing of the backend may be changed. */
  readonly frozen: boolean;
}
