// Runs several operations of a transaction concurrently, so that their statements are pipelined.

type Results<T extends readonly unknown[]> = { -readonly [K in keyof T]: Awaited<T[K]> };

/**
 * Waits for operations that have been started concurrently. On MySQL, the statements that they send
 * at the same time share a packet, if they are in one transaction. All operations end before this
 * function does, so that none uses a transaction that has ended.
 * @returns their results
 * @throws the error of the first operation, in the order of the list, that has failed
 */
export async function pipelined<const T extends readonly unknown[]>(
  operations: T,
): Promise<Results<T>> {
  const outcomes = await Promise.allSettled(operations);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }) as unknown as Results<T>;
}
