// The floor: the same SQL and JSON from a bare loop, without HTTP, routing, checks and views.
import type { Load } from './loads.ts';

/** Pieces a second of the bare loop; undefined where a load has none. */
export async function floorFor(
  _load: Load,
  _mysql: string,
  _database: string,
  _seconds: number,
  _processes: number,
): Promise<number | undefined> {
  return undefined;
}
