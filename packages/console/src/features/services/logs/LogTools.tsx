/** The log controls: search, level, instance, following, wrapping, previous run, download. */
import { IconButton } from '@slipway/ui/form/IconButton.tsx';
import { SearchInput } from '@slipway/ui/form/SearchInput.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { ArrowDown, ArrowUp, Download, Filter, History, Regex, WrapText } from 'lucide-react';
import { useState, useSyncExternalStore, type ReactNode } from 'react';
import { reportError } from '#kit/error/global-error.ts';
import { isPattern, isSearching, type LogFilter } from '#kit/log/log-filter.ts';
import type { LogStore } from '#kit/log/log-store.ts';
import { useMatchCount } from '#kit/log/use-log-tools.ts';
import { FollowButton } from '#entities/pipeline/StepLogPanel.tsx';
import css from './LogTools.module.css';
import { downloadLog, type LogRef } from './log-stream.ts';

/** The log state in the URL. Empty means off. */
export interface LogToolsState {
  instance: string;
  level: string;
  /** The text is a regular expression. */
  re: string;
  /** Set while lines that do not match stay visible. */
  find: string;
  previous: string;
}

export interface LogToolsProps {
  /** Heading and stream state. */
  title: ReactNode;
  place: LogRef;
  store: LogStore;
  text: string;
  onText: (text: string) => void;
  /** The parsed search. */
  search: LogFilter;
  state: LogToolsState;
  onState: (patch: Partial<LogToolsState & { line: string }>) => void;
  /** Goes to the next or previous match. */
  onGo: (direction: 1 | -1) => void;
  isFollowing: boolean;
  onFollow: (isFollowing: boolean) => void;
  isWrapped: boolean;
  onWrap: (isWrapped: boolean) => void;
}

const on = (isOn: boolean): string => (isOn ? '1' : '');

export function LogTools(props: LogToolsProps) {
  const { title, place, state, onState, isFollowing, onFollow, isWrapped, onWrap } = props;
  return (
    <div className={css.tools}>
      <div className={css.title}>{title}</div>
      <LogSearch {...props} />
      <LevelSelect level={state.level} onLevel={(level) => onState({ level })} />
      <InstanceSelect {...props} />
      <div className={css.switches}>
        {state.previous === '' && <FollowButton isFollowing={isFollowing} onFollow={onFollow} />}
        <IconButton
          label={state.previous === '' ? 'Before the last restart' : 'What runs now'}
          variant="quiet"
          aria-pressed={state.previous !== ''}
          icon={<History aria-hidden="true" />}
          onClick={() => onState({ previous: on(state.previous === ''), line: '' })}
        />
        <IconButton
          label="Wrap long lines"
          variant="quiet"
          aria-pressed={isWrapped}
          icon={<WrapText aria-hidden="true" />}
          onClick={() => onWrap(!isWrapped)}
        />
        <DownloadLog place={place} instance={state.instance} isPrevious={state.previous !== ''} />
      </div>
    </div>
  );
}

/** Enter goes to the next match, Shift+Enter to the previous one. */
function LogSearch({ store, text, onText, search, state, onState, onGo }: LogToolsProps) {
  const isRegex = state.re !== '';
  const isWrong = isRegex && !isPattern(text);
  const isOn = isSearching(search);
  return (
    <div className={css.search}>
      <SearchInput
        className={css.field}
        hasShortcut
        label={isRegex ? 'Search, a regular expression' : 'Search, or level:error instance:name'}
        value={text}
        onChange={onText}
        aria-invalid={isWrong || undefined}
        onKeyDownCapture={(event) => {
          if (event.key === 'Enter' && isOn) onGo(event.shiftKey ? -1 : 1);
        }}
      />
      <IconButton
        label="Regular expression"
        variant="quiet"
        aria-pressed={isRegex}
        icon={<Regex aria-hidden="true" />}
        onClick={() => onState({ re: on(!isRegex) })}
      />
      <IconButton
        label="Only lines that fit"
        variant="quiet"
        aria-pressed={state.find === ''}
        icon={<Filter aria-hidden="true" />}
        onClick={() => onState({ find: on(state.find === '') })}
      />
      <IconButton
        label="Previous find"
        variant="quiet"
        icon={<ArrowUp aria-hidden="true" />}
        onClick={() => onGo(-1)}
        {...(isOn ? {} : { disabledReason: 'Nothing is searched for' })}
      />
      <IconButton
        label="Next find"
        variant="quiet"
        icon={<ArrowDown aria-hidden="true" />}
        onClick={() => onGo(1)}
        {...(isOn ? {} : { disabledReason: 'Nothing is searched for' })}
      />
      <span className={css.count} role="status">
        {isWrong ? 'No regular expression' : isOn && <Finds store={store} search={search} />}
      </span>
    </div>
  );
}

function Finds({ store, search }: { store: LogStore; search: LogFilter }) {
  const count = useMatchCount(store, search);
  return `${count.toLocaleString('en')} ${count === 1 ? 'line' : 'lines'}`;
}

/** The select does not allow an empty value. */
const all = '*';

function LevelSelect({ level, onLevel }: { level: string; onLevel: (level: string) => void }) {
  return (
    <Select
      className={css.level}
      aria-label="Level"
      value={level === '' ? all : level}
      onChange={(value) => onLevel(value === all ? '' : value)}
      options={[
        { value: all, label: 'All levels' },
        { value: 'warn', label: 'Warnings, errors' },
        { value: 'error', label: 'Errors' },
      ]}
    />
  );
}

function InstanceSelect({ place, store, state, onState }: LogToolsProps) {
  const { instance } = state;
  const count = useSyncExternalStore(store.subscribe, () => store.sources.size);
  const sources = [...store.sources.keys()];
  if (count <= 1 && instance === '') return null;
  return (
    <Select
      className={css.instance}
      aria-label="Instance"
      value={instance === '' ? all : instance}
      onChange={(value) => onState({ instance: value === all ? '' : value })}
      options={[
        { value: all, label: count === 1 ? 'The one instance' : `All ${count} instances` },
        ...(instance !== '' && !sources.includes(instance) ? [instance, ...sources] : sources).map((source) => ({
          value: source,
          label: source.replace(`${place.revision}-`, ''),
        })),
      ]}
    />
  );
}

function DownloadLog({ place, instance, isPrevious }: { place: LogRef; instance: string; isPrevious: boolean }) {
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      await downloadLog(place, instance, isPrevious);
    } catch (error) {
      reportError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <IconButton
      label="Download the log as text"
      variant="quiet"
      isBusy={isBusy}
      icon={<Download aria-hidden="true" />}
      onClick={() => void save()}
    />
  );
}
