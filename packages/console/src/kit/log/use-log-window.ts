/** Tracks which lines of a log are in view and whether the view follows the newest line. It never moves the user's scroll position. */
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore, type RefObject } from 'react';
import type { LogFilter } from './log-filter.ts';
import { LogLayout, type Columns } from './log-layout.ts';
import type { LogStore } from './log-store.ts';

/** Must agree with the line height in LogViewer.module.css. */
export const rowPx = 20;
/** Rows rendered above and below the view, so that fast scrolling shows text instead of blank space. */
const spareRows = 30;
/** The window moves in steps, so that most scroll events cause no render. */
const stepRows = 10;

export interface LogWindow {
  layout: LogLayout;
  /** Index of the first rendered line; `end` is exclusive. */
  first: number;
  end: number;
  /** Scrolls the line into the upper third, unless it is in view already. */
  reveal: (index: number) => void;
}

interface Options {
  store: LogStore;
  filter: LogFilter;
  columns: Columns;
  scroller: RefObject<HTMLElement | null>;
  isFollowing: boolean;
  onFollow: (isFollowing: boolean) => void;
}

const useViewHeight = (scroller: RefObject<HTMLElement | null>): number => {
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
  return height;
};

/** Scrolling up stops following; scrolling to the end starts it again. */
const useScrolledRow = ({ scroller, onFollow }: Pick<Options, 'scroller' | 'onFollow'>): number => {
  const [row, setRow] = useState(0);
  const reported = useRef(onFollow);
  useEffect(() => {
    reported.current = onFollow;
  });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let last = element.scrollTop;
    const onScroll = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      if (scrollTop + clientHeight >= scrollHeight - rowPx / 2) reported.current(true);
      else if (scrollTop < last) reported.current(false);
      last = scrollTop;
      setRow(Math.floor(scrollTop / rowPx / stepRows) * stepRows);
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, [scroller]);
  return row;
};

export const useLogWindow = ({ store, filter, columns, scroller, isFollowing, onFollow }: Options): LogWindow => {
  const version = useSyncExternalStore(store.subscribe, () => store.version);
  const [layout, setLayout] = useState(() => ({ of: store, value: new LogLayout(store) }));
  if (layout.of !== store) setLayout({ of: store, value: new LogLayout(store) });
  const { value } = layout;
  value.update(filter, columns);
  const height = useViewHeight(scroller);
  const scrolled = useScrolledRow({ scroller, onFollow });
  const viewRows = Math.ceil(height / rowPx) + 1;
  const top = isFollowing ? Math.max(0, value.rows - viewRows) : scrolled;
  const first = value.indexAt(Math.max(0, top - spareRows));
  const end = Math.min(value.lines.length, value.indexAt(top + viewRows + stepRows + spareRows) + 1);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && isFollowing) element.scrollTo({ top: element.scrollHeight });
  }, [scroller, isFollowing, version, value.rows, height]);

  // Lines removed at the old end must not move the lines in view.
  const { trimmedRows } = value;
  const trimmedBefore = useRef(trimmedRows);
  useLayoutEffect(() => {
    if (!isFollowing) scroller.current?.scrollBy({ top: (trimmedBefore.current - trimmedRows) * rowPx });
    trimmedBefore.current = trimmedRows;
  }, [scroller, isFollowing, trimmedRows]);

  return {
    layout: value,
    first,
    end,
    reveal: (index) => {
      const element = scroller.current;
      if (!element) return;
      const y = value.topOf(index) * rowPx;
      if (y >= element.scrollTop && y + rowPx <= element.scrollTop + element.clientHeight) return;
      onFollow(false);
      element.scrollTo({ top: Math.max(0, y - element.clientHeight / 3) });
    },
  };
};

const none: Columns = { wrapAt: 0, headRows: 0 };

/** `probe` is a log line with `probeText` as its text. */
export const probeText = '0'.repeat(20);

/** Returns how many characters fit into a row, measured with an invisible line. */
export const useColumns = (probe: RefObject<HTMLElement | null>, isWrapped: boolean): Columns => {
  const [columns, setColumns] = useState(none);
  useLayoutEffect(() => {
    const line = probe.current;
    const cell = line?.querySelector<HTMLElement>('[data-probe]');
    const ruler = cell?.firstElementChild;
    if (!line || !cell || !ruler) return;
    const measure = (): void => {
      const character = ruler.getBoundingClientRect().width / probeText.length;
      const headRows = cell.offsetTop > line.offsetTop + 1 ? 1 : 0;
      // Not clientWidth: it is rounded up, and half a pixel decides whether one more character fits.
      const { width } = cell.getBoundingClientRect();
      const wrapAt = isWrapped && character > 0 ? Math.max(8, Math.floor(width / character + 0.001)) : 0;
      setColumns((known) => (known.wrapAt === wrapAt && known.headRows === headRows ? known : { wrapAt, headRows }));
    };
    // The ruler's width changes when the font loads, the cell's width when the window is resized.
    const observer = new ResizeObserver(measure);
    observer.observe(cell);
    observer.observe(ruler);
    return () => observer.disconnect();
  }, [probe, isWrapped]);
  return columns;
};
