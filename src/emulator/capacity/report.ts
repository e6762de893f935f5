// Reports what a service has counted: for programs, and as a table that people can read.
import { groupedValues } from '../../kernel/db/grouping.ts';
import { counted, someOf } from '../../kernel/user/sentences.ts';
import { tableLines } from '../../kernel/user/table.ts';
import { capacityFormat, type Measured, type MeasuredResource, type Place } from './model.ts';

/** How many hosts the table shows, and how many names a reason lists. */
const maxHosts = 20;

/** Renders the capacity of a region, as the API returns it. */
export function capacityView(region: string, measured: Measured): object {
  const { places, resources, limit } = measured;
  const reasons = reasonsOf(places, limit);
  const { count = sumOf(places) } = measured;
  const summary = summaryOf(measured, count, reasons);
  return {
    format: capacityFormat,
    region,
    count,
    summary,
    text: textOf(measured, summary, reasons),
    reasons: reasons.map(({ key: reason, members }) => ({
      reason,
      count: members.length,
      hosts: members.slice(0, maxHosts).map(({ name }) => name),
    })),
    hosts: places.map(({ uuid, name, zone, aggregates, count: own, reason }) => ({
      uuid,
      name,
      zone,
      aggregates,
      count: own,
      reason,
    })),
    zones: sums(zonesOf(places)),
    aggregates: sums(aggregatesOf(places)),
    resources: resources.map((one) => ({
      resource_class: one.resourceClass,
      requested: one.requested,
      free: one.free,
      largest: one.largest,
      largest_on: one.largestOn,
      fits_in_sum: inSum(one),
    })),
  };
}

/** Places that have something in common. */
interface Group {
  readonly key: string;
  readonly members: readonly Place[];
}

const sumOf = (places: readonly Place[]): number =>
  places.reduce((sum, { count }) => sum + count, 0);

function groupsOf(places: readonly Place[], keysOf: (place: Place) => readonly string[]): Group[] {
  const pairs = places.flatMap((place) => keysOf(place).map((key) => ({ key, place })));
  const groups = groupedValues(
    pairs,
    ({ key }) => key,
    ({ place }) => place,
  );
  return [...groups].map(([key, members]) => ({ key, members }));
}

const zonesOf = (places: readonly Place[]): Group[] =>
  groupsOf(places, ({ zone }) => (zone === null ? [] : [zone]));
const aggregatesOf = (places: readonly Place[]): Group[] =>
  groupsOf(places, ({ aggregates }) => aggregates);

const sums = (groups: readonly Group[]): object[] =>
  groups.map(({ key: name, members }) => ({
    name,
    count: sumOf(members),
    hosts: members.length,
  }));

/**
 * The reasons why no more fit: that of all requests first, then those of the most places that serve
 * some of the requests, because there something has run out.
 */
function reasonsOf(places: readonly Place[], limit: string | undefined): Group[] {
  const serving = ({ members }: Group): number => members.filter(({ count }) => count > 0).length;
  const groups = groupsOf(places, ({ reason }) => [reason]).toSorted(
    (one, other) => serving(other) - serving(one) || other.members.length - one.members.length,
  );
  return limit === undefined ? groups : [{ key: limit, members: [] }, ...groups];
}

function summaryOf(
  { places, noun, limit }: Measured,
  count: number,
  [first]: readonly Group[],
): string {
  const having = places.filter((place) => place.count > 0).length;
  if (!places.length) return `No ${noun} fit: ${limit ?? 'there are no hosts'}.`;
  const fits = count
    ? `${count} more ${count === 1 ? noun.slice(0, -1) : noun} fit${count === 1 ? 's' : ''}, on ` +
      `${having} of ${counted(places.length, 'host')}.`
    : `No more ${noun} fit on any of ${counted(places.length, 'host')}.`;
  if (!first) return fits;
  const where = first.members.length ? ` (${first.members.length} of ${places.length})` : '';
  return `${fits} Then: ${first.key}${where}.`;
}

function textOf(
  { places, resources }: Measured,
  summary: string,
  reasons: readonly Group[],
): string[] {
  return [
    summary,
    '',
    ...hostTable(places),
    ...sumTable('ZONE', zonesOf(places)),
    ...sumTable('AGGREGATE', aggregatesOf(places)),
    ...resourceTable(resources),
    ...(reasons.length ? ['', 'The next one is refused:'] : []),
    ...reasons.map(({ key, members }) =>
      members.length
        ? `  ${members.length}  ${key}: ${someOf(members.map(({ name }) => name))}`
        : `  ${key}`,
    ),
  ];
}

/** The hosts with the most room first. */
function hostTable(places: readonly Place[]): string[] {
  const shown = places.toSorted((one, other) => other.count - one.count).slice(0, maxHosts);
  const hasZones = places.some(({ zone }) => zone !== null);
  const rows = shown.map(({ name, zone, count, reason }) => [
    name,
    ...(hasZones ? [zone ?? '-'] : []),
    String(count),
    reason,
  ]);
  const more = places.length - shown.length;
  return [
    ...tableLines(['HOST', ...(hasZones ? ['ZONE'] : []), 'FIT', 'THEN'], rows),
    ...(more > 0 ? [`and ${counted(more, 'more host')} (--json lists all)`] : []),
  ];
}

function sumTable(title: string, groups: readonly Group[]): string[] {
  if (!groups.length) return [];
  const rows = groups
    .slice(0, maxHosts)
    .map(({ key, members }) => [key, String(members.length), String(sumOf(members))]);
  return ['', ...tableLines([title, 'HOSTS', 'FIT'], rows)];
}

function resourceTable(resources: readonly MeasuredResource[]): string[] {
  const rows = resources.map((one) => [
    one.resourceClass,
    String(one.requested),
    String(one.free),
    one.largestOn === null ? '-' : `${one.largest} on ${one.largestOn}`,
    String(inSum(one)),
  ]);
  const titles = ['RESOURCE', 'EACH', 'FREE', 'LARGEST PIECE', 'FIT IN SUM'];
  return rows.length ? ['', ...tableLines(titles, rows)] : [];
}

/** How many would fit if all that is free of the class were on one host. */
const inSum = ({ free, requested }: MeasuredResource): number => Math.floor(free / requested);
