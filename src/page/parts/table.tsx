// Tables: real ones, of which only the rows in view are in the document if there are many.
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ComponentChildren;
  /** Whether the values are numbers, which align to the right. */
  readonly numeric?: boolean;
  readonly width?: string;
  /** Whether the column goes first if there is little room. */
  readonly minor?: boolean;
  /** How long texts are shown: on several lines, or cut. */
  readonly long?: 'wrap' | 'clip';
}

interface TableProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string | number;
  /** Selects a row, by click or Enter. */
  readonly onSelect?: (row: T) => void;
  readonly selected?: string | number | undefined;
  /** The height of the box that scrolls; by default the table is as high as its rows. */
  readonly height?: string;
}

const rowHeight = 34;

/** How many rows are in the document above and below those in view. */
const overscan = 12;

/** Tables with fewer rows are in the document as a whole. */
const virtualFrom = 120;

export function Table<T>(props: TableProps<T>) {
  const { label, rows, columns, keyOf, onSelect, selected, height } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, size: 800 });
  const isVirtual = rows.length >= virtualFrom;
  const look = (): void => {
    const { scrollTop = 0, clientHeight = 800 } = box.current ?? {};
    setView({ top: scrollTop, size: clientHeight });
  };
  useLayoutEffect(look, [isVirtual]);
  const first = isVirtual ? Math.max(0, Math.floor(view.top / rowHeight) - overscan) : 0;
  const last = isVirtual
    ? Math.min(rows.length, Math.ceil((view.top + view.size) / rowHeight) + overscan)
    : rows.length;
  const move = (event: KeyboardEvent, index: number): void => {
    const row = rows[index];
    if (event.key === 'Enter' && event.target === event.currentTarget && row !== undefined)
      onSelect?.(row);
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (!step || !(event.currentTarget instanceof HTMLElement)) return;
    event.preventDefault();
    const next = step > 0 ? 'nextElementSibling' : 'previousElementSibling';
    const target = event.currentTarget[next];
    if (target instanceof HTMLElement && target.tabIndex >= 0) target.focus();
  };
  return (
    <div
      class={`table-box ${isVirtual ? 'virtual' : ''}`}
      ref={box}
      tabIndex={onSelect ? -1 : 0}
      role="group"
      aria-label={label}
      style={height === undefined ? undefined : { maxHeight: height }}
      onScroll={isVirtual ? look : undefined}
    >
      <table aria-label={label} aria-rowcount={rows.length + 1}>
        <thead>
          <tr>
            {columns.map(({ title, numeric, width, minor }) => (
              <th
                key={title}
                scope="col"
                class={classOf(numeric, minor)}
                style={width === undefined ? undefined : { width }}
              >
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {first > 0 && <Spacer rows={first} columns={columns.length} />}
          {rows.slice(first, last).map((row, offset) => {
            const key = keyOf(row);
            return (
              <tr
                key={key}
                aria-rowindex={first + offset + 2}
                aria-selected={onSelect ? key === selected : undefined}
                class={onSelect ? 'selectable' : undefined}
                tabIndex={onSelect ? 0 : undefined}
                onClick={onSelect ? () => onSelect(row) : undefined}
                onKeyDown={onSelect ? (event) => move(event, first + offset) : undefined}
              >
                {columns.map(({ title, cell, numeric, minor, long }) => (
                  <td key={title} class={classOf(numeric, minor, long)}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
          {last < rows.length && <Spacer rows={rows.length - last} columns={columns.length} />}
        </tbody>
      </table>
    </div>
  );
}

const classOf = (numeric = false, minor = false, long = ''): string | undefined =>
  [numeric ? 'numeric' : '', minor ? 'minor' : '', long].filter(Boolean).join(' ') || undefined;

/** Stands for rows that are not in the document. */
const Spacer = ({ rows, columns }: { readonly rows: number; readonly columns: number }) => (
  <tr class="spacer" aria-hidden="true" style={{ height: `${rows * rowHeight}px` }}>
    <td colSpan={columns} />
  </tr>
);
