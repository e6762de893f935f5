// The arguments of the tasks of servers, by the name of the task.
import type { NetworkRequest } from '../../clients/network.ts';
import type { ServerFlavor } from '../../model.ts';
import type { TransitionAction } from './latencies.ts';
import type { Mapping } from './mappings.ts';

/** For tasks without arguments. */
export type NoArgs = Readonly<Record<never, never>>;

/** The name of a task that only changes the state of a server. */
export type TransitionName = TransitionAction | 'rebootHard';

/** The arguments of a build. */
export interface SpawnArgs {
  readonly networks: readonly NetworkRequest[];
  readonly mappings: readonly Mapping[];
}

export interface RebuildArgs {
  /** Whether the server was stopped, and so is stopped again. */
  readonly stopped: boolean;
  /** The root volume to write the new image to; null if the volume keeps its content. */
  readonly reimage: { readonly volume: string; readonly imageId: string } | null;
}

/** The image that a task stores the data of. */
export interface ImageArgs {
  readonly id: string;
}

export interface BackupArgs extends ImageArgs {
  /** Such as `daily`: backups of one type replace each other. */
  readonly type: string;
  /** The number of backups of the type to keep. */
  readonly rotation: number;
}

/** The arguments of a move. */
export interface MoveArgs {
  /** The destination that the request names. */
  readonly host: string | null;
  /** The new flavor of a resize. */
  readonly flavor: ServerFlavor | null;
  /** Whether the filters are skipped. */
  readonly forced?: boolean;
  /** Whether an evacuated server stays powered off. */
  readonly stayOff?: boolean;
}

/** The migration that the next task of a move finishes. */
export interface MigrationArgs {
  readonly migration: number;
}

/** The arguments of every task. They are stored as JSON in the payload of the task's job. */
export interface TaskArgs extends Record<TransitionName, NoArgs> {
  readonly spawn: SpawnArgs;
  readonly rebuild: RebuildArgs;
  readonly createImage: ImageArgs;
  readonly createBackup: BackupArgs;
  readonly delete: NoArgs;
  readonly softDelete: NoArgs;
  readonly restore: NoArgs;
  readonly resize: MoveArgs;
  readonly resizeFinish: MigrationArgs;
  readonly confirmResize: NoArgs;
  readonly revertResize: NoArgs;
  readonly liveMigrate: MoveArgs;
  readonly liveMigrateFinish: MigrationArgs;
  readonly evacuate: MoveArgs;
  readonly shelve: NoArgs;
  readonly shelveOffload: NoArgs;
  readonly unshelve: { readonly host: string | null };
  readonly unshelveFinish: NoArgs;
}

export type TaskName = keyof TaskArgs;
