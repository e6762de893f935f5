// What is kept of actions and events for the record.
import type { Micros } from '../../../kernel/clock.ts';
import type { Context } from '../../../kernel/model.ts';
import { purgeHistory } from '../store/purge.ts';

/** Purges the events, and the actions that had ended, before a time. @returns how many */
export const purge = ({ db }: Context, before: Micros): Promise<number> => purgeHistory(db, before);
