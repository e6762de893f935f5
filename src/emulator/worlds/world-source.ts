// Turns the file of a world into a state that can be restored: the world is made in a temporary
// cloud in memory, so that a cloud gets all of it or nothing.
import { emulatedNow, ticks } from '../../kernel/clock.ts';
import type { Cloud } from '../../kernel/model.ts';
import type { Config } from '../../kernel/settings.ts';
import { headerOf } from '../snapshots/document.ts';
import type { CheckedSource } from '../snapshots/model.ts';
import { contentsOf } from '../snapshots/store/contents.ts';
import { buildWorld, type Part } from './build.ts';
import type { WorldFile } from './model.ts';
import { regionsOf } from './read.ts';

/** Makes a world, and passes its state to `use`. @throws WorldError */
export function withWorld<T>(
  cloud: Cloud,
  file: WorldFile,
  use: (source: CheckedSource) => Promise<T>,
): Promise<T> {
  const started = ticks();
  return cloud.withTemporaryCloud(configFor(cloud, file), async (made) => {
    const parts = await buildWorld(made, file);
    report(cloud, file, parts, Math.round(ticks() - started));
    const { clock } = await made.sharedState.refresh();
    return use({
      header: headerOf(made, clock, emulatedNow(clock)),
      size: 0,
      contents: (name) => {
        const { central, regions } = made;
        const database = regions.get(name)?.database ?? central;
        return contentsOf(database, database.db);
      },
    });
  });
}

/** A cloud for the requests of a world: it does at once what takes time elsewhere. */
function configFor({ config, regions }: Cloud, { world }: WorldFile): Partial<Config> {
  const named = regionsOf(world);
  return {
    regions: named.length ? named : [...regions.keys()],
    hosts: world.hosts === undefined ? config.hosts : '0',
  };
}

function report(
  { log }: Cloud,
  { file }: WorldFile,
  parts: readonly Part[],
  milliseconds: number,
): void {
  for (const { name, count, milliseconds: taken } of parts)
    log.info(`${file}: ${name} (${count}) in ${taken} ms`);
  log.info(`${file}: made in ${milliseconds} ms`);
}
