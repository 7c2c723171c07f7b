/**
 * Shows a log of up to 100,000 lines and renders only the lines in view. It follows the newest line until the user scrolls up; then it
 * stops following and shows the number of new lines.
 */
import { Button } from '@slipway/ui/form/Button.tsx';
import { classNames } from '@slipway/ui/class-names.ts';
import { cssVars } from '@slipway/ui/css-vars.ts';
import { ArrowDown } from 'lucide-react';
import { useEffect, useEffectEvent, useImperativeHandle, useRef, useState, type ReactNode, type Ref, type RefObject } from 'react';
import { noFilter, type LogFilter, nextFind } from './log-filter.ts';
import type { LogLine } from './log-line.ts';
import type { LogStore } from './log-store.ts';
import { LogRow } from './LogRow.tsx';
import css from './LogViewer.module.css';
import { probeText, useColumns, useLogWindow, type LogWindow } from './use-log-window.ts';

export interface LogViewerProps {
  store: LogStore;
  label: string;
  filter?: LogFilter;
  /** Search for `finder` and for highlighting. Defaults to the filter. */
  search?: LogFilter;
  /** Handle to step through the matches. */
  finder?: Ref<LogFinder>;
  isWrapped: boolean;
  /** True for a column with the instance instead of line numbers. */
  hasSource?: boolean;
  /** True to use the full height of the window. */
  isTall?: boolean;
  isFollowing: boolean;
  onFollow: (isFollowing: boolean) => void;
  /** The line that the URL names. */
  currentKey?: string;
  hrefOf: (key: string) => string;
  /** Called when J or K marks another line. */
  onMark: (key: string) => void;
  /** Shown while there are no lines. */
  empty: ReactNode;
}

export interface LogFinder {
  /** Marks the next or previous matching line and scrolls to it. */
  go: (direction: 1 | -1) => void;
}

export function LogViewer(props: LogViewerProps) {
  const {
    store,
    label,
    filter = noFilter,
    search = filter,
    isWrapped,
    hasSource = false,
    isTall = false,
    isFollowing,
    onFollow,
    currentKey,
    hrefOf,
  } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const probe = useRef<HTMLDivElement>(null);
  const columns = useColumns(probe, isWrapped);
  const view = useLogWindow({ store, filter, columns, scroller, isFollowing, onFollow });
  const { layout, first, end } = view;
  useReveal(view, currentKey, scroller);
  useMarkKeys(scroller, view, props);
  useFinder(view, { ...props, search });
  const waiting = useWaiting(layout.lines, isFollowing);
  return (
    <div className={classNames(css.log, isWrapped && css.wrapped, isTall && css.tall)}>
      <div
        ref={scroller}
        className={css.scroller}
        role="region"
        aria-label={label}
        // A scrolling box must be reachable without a mouse.
        tabIndex={0}
      >
        <Probe ref={probe} hasSource={hasSource} />
        {layout.lines.length === 0 ? (
          <div className={css.empty}>{props.empty}</div>
        ) : (
          <div className={css.sheet} style={cssVars({ '--rows': layout.rows, '--cells': layout.cells })}>
            <ol className={css.window} style={cssVars({ '--top': layout.topOf(first) })}>
              {layout.lines.slice(first, end).map((line, index) => (
                <LogRow
                  key={line.key}
                  line={line}
                  place={first + index + 1}
                  hue={hasSource ? (store.sources.get(line.source ?? '') ?? 0) : undefined}
                  marker={search.marker}
                  isCurrent={line.key === currentKey}
                  href={hrefOf(line.key)}
                />
              ))}
            </ol>
          </div>
        )}
      </div>
      {!isFollowing && waiting > 0 && (
        <Button className={css.more} size="sm" icon={<ArrowDown aria-hidden="true" />} onClick={() => onFollow(true)}>
          {waiting.toLocaleString('en')} new {waiting === 1 ? 'line' : 'lines'}
        </Button>
      )}
    </div>
  );
}

function Probe({ ref, hasSource }: { ref: Ref<HTMLDivElement>; hasSource: boolean }) {
  return (
    <div ref={ref} className={classNames(css.line, css.probe, !hasSource && css.single)} aria-hidden="true">
      <span className={css.mark} />
      {!hasSource && <span className={css.number} />}
      <span className={css.time}>00</span>
      {hasSource && <span className={css.source} />}
      <span className={css.text} data-probe>
        <span>{probeText}</span>
      </span>
    </div>
  );
}

/** Scrolls to the named line once it exists, and again when the name changes. Opened by a link, the log takes the keyboard focus. */
const useReveal = ({ layout, reveal }: LogWindow, key: string | undefined, scroller: RefObject<HTMLElement | null>): void => {
  const revealed = useRef<string>(undefined);
  useEffect(() => {
    if (key === undefined || revealed.current === key) return;
    const index = layout.indexOf(key);
    if (index < 0) return;
    if (revealed.current === undefined && document.activeElement?.matches('body, main')) scroller.current?.focus({ preventScroll: true });
    revealed.current = key;
    reveal(index);
  });
};

/** Counts the lines since the user left the end. If the log opened at an old line, counts the lines newer than the opening time. */
const useWaiting = (lines: readonly LogLine[], isFollowing: boolean): number => {
  const [openedAt] = useState(() => new Date().toISOString());
  const [left, setLeft] = useState(isFollowing ? 0 : undefined);
  const count = lines.length;
  if ((isFollowing && left !== count) || (left !== undefined && left > count)) setLeft(count);
  return count - (left ?? lines.findLastIndex(({ at }) => at <= openedAt) + 1);
};

/** J and K mark the next and previous line, so that keyboard users can link to a line. */
const useMarkKeys = (
  scroller: RefObject<HTMLElement | null>,
  { layout, first }: LogWindow,
  { currentKey, onMark }: LogViewerProps,
): void => {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const step = { j: 1, k: -1 }[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const from = currentKey === undefined ? -1 : layout.indexOf(currentKey);
    const line = layout.lines[from < 0 ? first : from + step];
    if (line) onMark(line.key);
  });
  useEffect(() => {
    const element = scroller.current;
    element?.addEventListener('keydown', onKey);
    return () => element?.removeEventListener('keydown', onKey);
  }, [scroller]);
};

/** Searches from the marked line, or from the lines in view if none is marked. */
const useFinder = (
  { layout, first, end, reveal }: LogWindow,
  { finder, search, currentKey, onMark, onFollow }: LogViewerProps & { search: LogFilter },
): void => {
  useImperativeHandle(finder, () => ({
    go: (direction) => {
      const marked = currentKey === undefined ? -1 : layout.indexOf(currentKey);
      const from = marked >= 0 ? marked : direction > 0 ? first - 1 : end;
      const index = nextFind(layout.lines, search, from, direction);
      const line = layout.lines[index];
      if (!line) return;
      onFollow(false);
      onMark(line.key);
      reveal(index);
    },
  }));
};
