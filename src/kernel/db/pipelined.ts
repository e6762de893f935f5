// Asking for several things at once, so that their statements can go out together.

/** What came of a question: its answer, or the error that it was refused with. */
type Answers<T extends readonly unknown[]> = { readonly [K in keyof T]: () => Awaited<T[K]> };

/**
 * Waits for several questions that have been asked at once, all of them: on MySQL those of one
 * transaction go out in one packet, step by step.
 * @returns for each a function that returns its answer, or throws why there is none. So the order
 *   of refusals is that of the calls.
 */
export async function pipelined<const T extends readonly unknown[]>(asked: T): Promise<Answers<T>> {
  const settled = await Promise.allSettled(asked);
  return settled.map((one) => () => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  }) as unknown as Answers<T>;
}
