// What Volume knows of volumes, snapshots, attachments and types.
import type { Micros } from '../../../kernel/clock.ts';

export type Metadata = Readonly<Record<string, string>>;

export interface Attachment {
  readonly id: string;
  readonly volumeId: string;
  readonly projectId: string;
  readonly instanceUuid: string | null;
  readonly hostName: string | null;
  readonly mountpoint: string | null;
  readonly mode: string | null;
  readonly status: string;
  readonly connector: Readonly<Record<string, unknown>> | null;
  readonly connectionInfo: Readonly<Record<string, unknown>>;
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
  /** In GB. */
  readonly size: number;
  readonly status: string;
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
  readonly size: number;
  readonly status: string;
  readonly progress: string;
  readonly typeId: string;
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
  /** The projects that see it where it is not public. */
  readonly projects: readonly string[];
}

/** What volumes may do, and who sees to it: the server's host, the store, or both. */
export interface QosSpecs {
  readonly id: string;
  readonly name: string;
  readonly consumer: string;
  readonly specs: Readonly<Record<string, string | null>>;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** How the volumes of a type are encrypted. */
export interface Encryption {
  readonly id: string;
  readonly typeId: string;
  readonly provider: string;
  readonly controlLocation: string;
  readonly cipher: string | null;
  readonly keySize: number | null;
  readonly createdAt: Micros;
  readonly updatedAt: Micros | null;
}

/** Who asks: an administrator sees all. */
export interface Viewer {
  readonly projectId: string | undefined;
  readonly userId: string;
  readonly isAdmin: boolean;
}

/** The one zone that there is. */
export const zone = 'nova';

/** Where volumes are, once they have been made. */
export const backend = 'cumulet@lvmdriver-1#lvmdriver-1';

export const defaultTypeName = 'lvmdriver-1';
