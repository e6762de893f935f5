// The CPU time of a process that a benchmark has started.
import { readFileSync, readdirSync } from 'node:fs';

/** CPU time of all threads of a process, in milliseconds. */
export function cpuOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const times = threads.map((id) =>
    Number(readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0]),
  );
  return times.reduce((sum, one) => sum + one, 0) / 1e6;
}
