// The clock of the cloud, as the frame shows it.
import { useEmulatedNow } from '../core/clock.ts';
import { longDay } from '../parts/text.ts';

export function ClockFace() {
  const time = useEmulatedNow();
  if (!time) return <span class="clock" />;
  const iso = new Date(time.now).toISOString();
  return (
    <span class="clock">
      <span class="day">{longDay(iso)}</span> <time dateTime={iso}>{iso.slice(11, 19)}</time>
      <span class="zone"> UTC</span>
      {time.frozen && <span class="tag">frozen</span>}
    </span>
  );
}
