// Whoever lost a race for resources waits for its turn.
import { takeTurn } from '../../../kernel/db/transaction.ts';
import type { Work } from '../../../kernel/model.ts';

/** Lets one writer at a time go on, once a race was lost. It must be the first statement of the transaction. */
export async function takeTurnAfterLoss({ db, attempt }: Work): Promise<void> {
  if (attempt > 1) await takeTurn(db, 'reservation');
}
