// The history of a region's database, in order.
import type { Migration } from '../../src/kernel/db/migrate.ts';
import { kernel } from './kernel.ts';
import { placement } from './placement.ts';

export const regionMigrations: readonly Migration[] = [kernel, placement];
