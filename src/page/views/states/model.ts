// What the view of states knows of a snapshot.

/** A snapshot, as /_emulator/snapshots lists it. */
export interface Snapshot {
  readonly name: string;
  readonly created_at: string;
  readonly rows: number;
  readonly bytes?: number;
}
