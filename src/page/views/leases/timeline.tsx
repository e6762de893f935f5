// Hosts and time: a bar for each lease, and the clock as a line.
import { hrefOf } from '../../core/router.ts';
import { dayTime, longDay } from '../../parts/text.ts';
import type { HostRow } from './model.ts';

/** The span of time that the timeline shows, in milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export const day = 86_400_000;

const placeIn = ({ from, to }: Span, time: number): number =>
  Math.min(100, Math.max(0, ((time - from) / (to - from)) * 100));

interface TimelineProps {
  readonly hosts: readonly HostRow[];
  readonly span: Span;
  readonly now: number;
  /** The time to which the clock would be moved. */
  readonly target: number;
}

export function Timeline({ hosts, span, now, target }: TimelineProps) {
  const lines = (
    <>
      <span class="now" style={{ left: `${placeIn(span, now)}%` }} />
      {target > now && <span class="target" style={{ left: `${placeIn(span, target)}%` }} />}
    </>
  );
  return (
    <div class="table-box timeline" role="group" aria-label="Timeline" tabIndex={0}>
      <table aria-label="Timeline">
        <thead>
          <tr>
            <th scope="col">Host</th>
            <th scope="col">
              <span class="hidden">Leases</span>
              <span class="axis" aria-hidden="true">
                {ticksOf(span).map((time) => (
                  <span key={time} style={{ left: `${placeIn(span, time)}%` }}>
                    {longDay(new Date(time).toISOString()).replace(/ \d{4}$/, '')}
                  </span>
                ))}
              </span>
            </th>
          </tr>
        </thead>
        <tbody>
          {hosts.map(({ id, name, bars }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td>
                <div class="bars">
                  {lines}
                  {bars.map(({ lease, start, end }) => {
                    const left = placeIn(span, start);
                    const title =
                      `${lease.name}, ${lease.status.toLowerCase()}, ` +
                      `${dayTime(lease.start_date)} to ${dayTime(lease.end_date)}`;
                    return (
                      <a
                        key={lease.id}
                        class={`bar ${lease.status.toLowerCase()}`}
                        href={hrefOf('leases', { lease: lease.id })}
                        title={title}
                        style={{ left: `${left}%`, width: `${placeIn(span, end) - left}%` }}
                      >
                        {lease.name}
                      </a>
                    );
                  })}
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** At most eight midnights in the span. */
function ticksOf({ from, to }: Span): number[] {
  const step = Math.max(1, Math.ceil((to - from) / day / 8)) * day;
  const first = Math.ceil(from / day) * day;
  return Array.from({ length: 9 }, (_, index) => first + index * step).filter((one) => one < to);
}
