// A world as its file describes it. The schema in worlds/world.schema.json says what each field
// means.

type Texts = Readonly<Record<string, string | number | boolean>>;
type Fields = Readonly<Record<string, unknown>>;

/** An inventory: its total, or all of its fields. */
export type InventoryEntry =
  | number
  | {
      readonly total: number;
      readonly reserved?: number;
      readonly ratio?: number;
      readonly min_unit?: number;
      readonly max_unit?: number;
      readonly step_size?: number;
    };

export type Inventories = Readonly<Record<string, InventoryEntry>>;

export interface ProviderEntry {
  readonly name: string;
  readonly count?: number;
  readonly inventory?: Inventories;
  readonly traits?: readonly string[];
  readonly providers?: readonly ProviderEntry[];
}

export interface HostEntry {
  readonly name?: string;
  readonly count?: number;
  readonly vcpus?: number;
  readonly memory_mb?: number;
  readonly disk_gb?: number;
  readonly ratios?: Fields;
  readonly reserved?: Fields;
  readonly traits?: readonly string[];
  readonly zone?: string;
  readonly aggregates?: readonly string[];
  readonly inventory?: Inventories;
  readonly providers?: readonly ProviderEntry[];
  readonly reservable?: boolean;
  readonly disabled?: string;
}

export interface AggregateEntry {
  readonly name: string;
  readonly zone?: string;
  readonly metadata?: Texts;
}

export interface FlavorEntry {
  readonly name: string;
  readonly id?: string | number;
  readonly vcpus: number;
  readonly ram: number;
  readonly disk: number;
  readonly ephemeral?: number;
  readonly swap?: number;
  readonly extra_specs?: Texts;
  readonly projects?: readonly string[];
}

export interface ImageEntry {
  readonly name: string;
  readonly project?: string;
  readonly visibility?: string;
  readonly disk_format?: string;
  readonly min_disk?: number;
  readonly min_ram?: number;
  readonly tags?: readonly string[];
  readonly properties?: Texts;
}

export interface NetworkEntry {
  readonly name: string;
  readonly project?: string;
  readonly cidr?: string;
  readonly shared?: boolean;
  readonly external?: boolean;
  readonly dhcp?: boolean;
  readonly router?: string;
}

export interface VolumeTypeEntry {
  readonly name: string;
  readonly description?: string;
  readonly backend?: string;
  readonly extra_specs?: Texts;
  readonly projects?: readonly string[];
}

export interface VolumeEntry {
  readonly name: string;
  readonly count?: number;
  readonly size?: number;
  readonly type?: string;
  readonly image?: string;
  readonly project?: string;
  readonly server?: string;
}

export interface ServerGroupEntry {
  readonly name: string;
  readonly policy: string;
  readonly max_per_host?: number;
  readonly project?: string;
}

export interface ServerEntry {
  readonly name: string;
  readonly count?: number;
  readonly project?: string;
  readonly flavor?: string;
  readonly image?: string;
  readonly network?: string;
  readonly host?: string;
  readonly zone?: string;
  readonly group?: string;
  readonly metadata?: Texts;
  readonly stopped?: boolean;
}

export interface LeaseEntry {
  readonly name: string;
  readonly project?: string;
  readonly start?: string;
  readonly for?: string;
  readonly hosts?: number | { readonly min: number; readonly max: number; properties?: string };
  readonly instances?: {
    readonly amount: number;
    readonly vcpus: number;
    readonly memory_mb: number;
    readonly disk_gb?: number;
    readonly affinity?: boolean | null;
  };
}

export interface PolicyEntry {
  readonly name: string;
  readonly project?: string;
  readonly type: string;
  readonly version?: string | number;
  readonly properties: Fields;
}

export interface ClusterEntry {
  readonly name: string;
  readonly project?: string;
  readonly size?: number;
  readonly min?: number;
  readonly max?: number;
  readonly flavor?: string;
  readonly image?: string;
  readonly network?: string;
  readonly policies?: readonly string[];
}

/** The sections of one region. */
export interface RegionSections {
  readonly hosts?: number | readonly HostEntry[];
  readonly aggregates?: readonly AggregateEntry[];
  readonly quotas?: Readonly<Record<string, Readonly<Record<string, Fields>>>>;
  readonly flavors?: readonly FlavorEntry[];
  readonly images?: readonly (string | ImageEntry)[];
  readonly networks?: readonly (string | NetworkEntry)[];
  readonly volume_types?: readonly (string | VolumeTypeEntry)[];
  readonly volumes?: readonly VolumeEntry[];
  readonly server_groups?: readonly ServerGroupEntry[];
  readonly servers?: number | readonly ServerEntry[];
  readonly leases?: readonly LeaseEntry[];
  readonly policies?: readonly PolicyEntry[];
  readonly clusters?: readonly ClusterEntry[];
}

type RolesInProjects = Readonly<Record<string, readonly string[]>>;

export interface GroupEntry {
  readonly name: string;
  readonly users?: readonly string[];
  readonly roles?: RolesInProjects;
  readonly description?: string;
}

export interface ProjectEntry {
  readonly name: string;
  readonly description?: string;
  readonly parent?: string;
  readonly tags?: readonly string[];
}

export interface UserEntry {
  readonly name: string;
  readonly password?: string;
  readonly email?: string;
  readonly project?: string;
  readonly roles?: RolesInProjects;
  readonly system_roles?: readonly string[];
  readonly domain_roles?: readonly string[];
}

export interface RegisteredLimitEntry {
  readonly service: string;
  readonly resource: string;
  readonly limit: number;
  readonly region?: string;
}

export interface PodEntry {
  readonly region: string;
  readonly zone: string;
  readonly pod_zone?: string;
  readonly data_center?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly weight?: number;
  readonly maintenance?: boolean;
  readonly threshold_percent?: number;
}

export interface World extends RegionSections {
  readonly description?: string;
  readonly defaults?: boolean;
  readonly clock?: string;
  readonly regions?: readonly string[] | Readonly<Record<string, RegionSections | null>>;
  readonly settings?: Readonly<Record<string, Fields>>;
  readonly roles?: readonly string[];
  readonly implied_roles?: Readonly<Record<string, readonly string[]>>;
  readonly groups?: readonly (string | GroupEntry)[];
  readonly projects?: readonly (string | ProjectEntry)[];
  readonly users?: readonly (string | UserEntry)[];
  readonly registered_limits?: readonly RegisteredLimitEntry[];
  readonly pods?: readonly PodEntry[];
  readonly bindings?: readonly { readonly project: string; readonly pod: string }[];
  readonly faults?: readonly Fields[];
}

/** The path of a part of a world, such as `['servers', 2, 'flavor']`. */
export type WorldPath = readonly (string | number)[];

/** A world that has been read from a file, and is valid by its schema. */
export interface WorldFile {
  readonly file: string;
  readonly world: World;
  /** Where a part is in the file, such as `world.yaml:12`. */
  readonly positionOf: (path: WorldPath) => string;
}
