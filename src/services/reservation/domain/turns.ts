// Whoever promises resources waits for its turn.
import { takeTurn } from '../../../kernel/db/transaction.ts';
import type { Work } from '../../../kernel/model.ts';

/**
 * Lets one writer at a time go on, also of several processes: all choose the hosts that are in use first, and would lose against each
 * other again and again. It must be the first statement of the transaction.
 */
export const waitForTurn = ({ db }: Work): Promise<void> => takeTurn(db, 'reservation');
