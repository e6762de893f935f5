// How much of each resource class is allocated in a region.
import type { ClassUse } from '../../../emulator/replay/model.ts';
import type { Context } from '../../../kernel/model.ts';
import { keptTrees } from '../store/kept-trees.ts';
import { classTable, namesOf } from '../store/names.ts';
import { classesOf } from './candidates/list.ts';
import { loadTrees } from './candidates/trees.ts';
import { capacityOf } from '../store/inventories.ts';

/** Sums the inventories of all providers by resource class. */
export async function resourceUse({ db }: Context): Promise<readonly ClassUse[]> {
  const trees = await loadTrees(db, (await keptTrees(db)).all);
  const names = await namesOf(db, classTable, classesOf(trees));
  const byName = new Map<string, { capacity: number; used: number }>();
  for (const { nodes } of trees) {
    for (const { inventories } of nodes) {
      for (const inventory of inventories) {
        const name = names.get(inventory.classId)!;
        const sum = byName.get(name) ?? { capacity: 0, used: 0 };
        sum.capacity += Math.trunc(capacityOf(inventory));
        sum.used += inventory.used;
        byName.set(name, sum);
      }
    }
  }
  return [...byName].map(([name, sum]) => ({ name, ...sum }));
}
