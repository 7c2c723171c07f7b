/** The log of a revision: live, with search, instance and level filters, and wrapping. The URL holds everything except wrapping. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { Panel, PanelFoot } from '@slipway/ui/layout/Panel.tsx';
import { useDeferredValue, useId, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from 'react';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { isFiltering, parseLogFilter, withoutSearch } from '#kit/log/log-filter.ts';
import { linesKept } from '#kit/log/log-store.ts';
import { LogViewer, type LogFinder } from '#kit/log/LogViewer.tsx';
import { useLogCount, useLogWrap } from '#kit/log/use-log-tools.ts';
import { useUrlState, useSearchText } from '#kit/state/url-state.ts';
import { LogTools } from './LogTools.tsx';
import { NoLogRight, StreamStatus } from './LogStates.tsx';
import type { LogRef } from './log-stream.ts';
import { useRevisionLog, type RevisionLog } from './use-revision-log.ts';

const defaults = { q: '', instance: '', line: '', level: '', re: '', find: '', previous: '' };
type State = typeof defaults;

export interface RevisionLogPanelProps {
  place: LogRef;
  /** Why the user may not read the log; undefined if allowed. */
  reason: string | undefined;
  /** Explains whom to ask. */
  noRight: ReactNode;
  /** Nothing is running that could write logs. */
  isQuiet: boolean;
  /** As tall as the window allows. */
  isTall?: boolean;
}

export function RevisionLogPanel({ place, reason, noRight, isQuiet, isTall = false }: RevisionLogPanelProps) {
  const titleId = useId();
  const { state, set, hrefOf } = useUrlState(defaults);
  const isPrevious = state.previous !== '';
  const log = useRevisionLog(place, { isAllowed: reason === undefined, startsWhole: state.line !== '', isPrevious });
  const [text, setText] = useSearchText(state.q, (q) => set({ q }, { replace: true }));
  const [isFollowing, setFollowing] = useState(state.line === '' && !isPrevious);
  const [isWrapped, setWrapped] = useLogWrap();
  const onLinks = useInPageLinks();
  const finder = useRef<LogFinder>(null);
  const { filter, search } = useLogSearch(useDeferredValue(text), state);
  if (reason !== undefined || log.stream.state === 'refused') return <NoLogRight noRight={noRight} reason={reason} />;
  return (
    <Panel id="logs" aria-labelledby={titleId} onClickCapture={onLinks}>
      <LogTools
        title={
          <>
            <h2 id={titleId}>Logs</h2>
            <StreamStatus stream={log.stream} isQuiet={isQuiet} />
          </>
        }
        place={place}
        store={log.store}
        text={text}
        onText={setText}
        search={search}
        state={state}
        onState={(patch) => set(patch, { replace: true })}
        onGo={(direction) => finder.current?.go(direction)}
        isFollowing={isFollowing}
        onFollow={setFollowing}
        isWrapped={isWrapped}
        onWrap={setWrapped}
      />
      <LogViewer
        store={log.store}
        label={`Log of ${place.revision}`}
        hasSource
        isTall={isTall}
        filter={filter}
        search={search}
        finder={finder}
        isWrapped={isWrapped}
        isFollowing={isFollowing}
        onFollow={setFollowing}
        {...(state.line === '' ? {} : { currentKey: state.line })}
        hrefOf={(line) => hrefOf({ line })}
        onMark={(line) => set({ line }, { replace: true })}
        empty={
          <EmptyText
            log={log}
            isFiltered={isFiltering(filter)}
            onClear={() => (setText(''), set({ ...defaults, previous: state.previous }))}
          />
        }
      />
      <Foot log={log} />
    </Panel>
  );
}

/** `search` finds and marks lines. `filter` selects the visible lines; while searching, it applies only level and instance. */
const useLogSearch = (text: string, { re, level, instance, find }: State) =>
  useMemo(() => {
    const search = parseLogFilter({ text, isRegex: re !== '', level, source: instance });
    return { search, filter: find === '' ? search : withoutSearch(search) };
  }, [text, re, level, instance, find]);

function EmptyText({ log, isFiltered, onClear }: { log: RevisionLog; isFiltered: boolean; onClear: () => void }) {
  if (isFiltered && log.store.lines.length > 0) {
    return (
      <>
        No line fits; {log.store.lines.length.toLocaleString('en')} are hidden by the filter.{' '}
        <Button size="sm" onClick={onClear}>
          Clear the filter
        </Button>
      </>
    );
  }
  if (log.stream.state === 'ended') return 'No instance of this revision was started again, or what it wrote before is gone.';
  if (log.stream.state === 'failed') return 'The log could not be read. Look again in a moment.';
  return log.stream.state === 'live' ? 'Nothing was written yet. Lines show here as they come.' : 'Reading the log';
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

function Foot({ log }: { log: RevisionLog }) {
  const { store } = log;
  const count = useSyncExternalStore(store.subscribe, () => store.lines.length);
  const errors = useLogCount(store, 'error');
  const warnings = useLogCount(store, 'warn');
  return (
    <PanelFoot>
      <span className="num">
        {count.toLocaleString('en')} {count === 1 ? 'line' : 'lines'}
        {store.dropped > 0 && `, the newest of more than ${linesKept.toLocaleString('en')}`}
      </span>
      <span className="num">
        {warnings.toLocaleString('en')} {warnings === 1 ? 'warning' : 'warnings'}, {errors.toLocaleString('en')}{' '}
        {errors === 1 ? 'error' : 'errors'}
      </span>
      {log.isCut && count >= 2000 && (
        <Button size="sm" variant="quiet" onClick={log.showAll}>
          Show older lines
        </Button>
      )}
      <span className="push">
        Times in {zone}
        <span className="only-wide"> · J and K mark a line</span>
      </span>
    </PanelFoot>
  );
}
