// Whoever promises resources waits for its turn.

/**
 * The turn of all requests that write, also of several processes: all choose the hosts that are in
 * use first, and would lose against each other again and again. Due work takes none: what rests on
 * what it changes claims that.
 */
export const reservationLock = 'reservation';
