// Rows and time: bars with a start and an end, and the clock as a line.
import { clockTime, longDay } from './text.ts';

/** The span of time that the timeline shows, in milliseconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export const day = 86_400_000;

const placeIn = ({ from, to }: Span, time: number): number =>
  Math.min(100, Math.max(0, ((time - from) / (to - from)) * 100));

/** A bar of a row. Its times are in milliseconds. */
export interface Bar {
  readonly key: string;
  readonly label: string;
  readonly title: string;
  readonly href: string;
  /** Its state, which decides how it looks: `active`, `error` or another word. */
  readonly state: string;
  readonly start: number;
  readonly end: number;
}

export interface Row {
  readonly key: string;
  readonly name: string;
  readonly bars: readonly Bar[];
}

interface TimelineProps {
  readonly label: string;
  /** What a row is, as the title of the first column. */
  readonly subject: string;
  readonly rows: readonly Row[];
  readonly span: Span;
  readonly now: number;
  /** The time to which the clock would be moved. */
  readonly target?: number;
}

export function Timeline({ label, subject, rows, span, now, target = 0 }: TimelineProps) {
  const lines = (
    <>
      <span class="now" style={{ left: `${placeIn(span, now)}%` }} />
      {target > now && <span class="target" style={{ left: `${placeIn(span, target)}%` }} />}
    </>
  );
  return (
    <div class="table-box timeline" role="group" aria-label={label} tabIndex={0}>
      <table aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{subject}</th>
            <th scope="col">
              <span class="hidden">{label}</span>
              <span class="axis" aria-hidden="true">
                {ticksOf(span).map((time) => (
                  <span key={time} style={{ left: `${placeIn(span, time)}%` }}>
                    {tickName(time)}
                  </span>
                ))}
              </span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key: row, name, bars }) => (
            <tr key={row}>
              <th scope="row">{name}</th>
              <td>
                <div class="bars">
                  {lines}
                  {bars.map(({ key, label: text, title, href, state, start, end }) => {
                    const left = placeIn(span, start);
                    return (
                      <a
                        key={key}
                        class={`bar ${state}`}
                        href={href}
                        title={title}
                        style={{ left: `${left}%`, width: `${placeIn(span, end) - left}%` }}
                      >
                        {text}
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

const hour = day / 24;

/** The distances of ticks, of which a timeline uses the first that gives at most eight. */
const distances = [hour / 60, hour / 6, hour, 3 * hour, 6 * hour, day];

/** At most eight full minutes, hours or midnights in the span. */
function ticksOf({ from, to }: Span): number[] {
  const step =
    distances.find((distance) => (to - from) / distance <= 8) ??
    Math.ceil((to - from) / day / 8) * day;
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: 9 }, (_, index) => first + index * step).filter((one) => one < to);
}

/** The day, or the time of a tick within a day. */
function tickName(time: number): string {
  const iso = new Date(time).toISOString();
  return time % day ? clockTime(iso).slice(0, 5) : longDay(iso).replace(/ \d{4}$/, '');
}
