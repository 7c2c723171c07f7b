/** The controls over a log: search, instance, following, wrapping, download. */
import { IconButton } from '@slipway/ui/IconButton.tsx';
import { SearchInput } from '@slipway/ui/SearchInput.tsx';
import { Select } from '@slipway/ui/Select.tsx';
import { Download, WrapText } from 'lucide-react';
import { useState, useSyncExternalStore, type ReactNode } from 'react';
import { reportError } from '#lib/global-error.ts';
import type { LogStore } from '#lib/log/log-store.ts';
import { FollowButton } from '#lib/StepLogPanel.tsx';
import css from './LogTools.module.css';
import { downloadLog } from './log-download.ts';
import type { LogRef } from './log-stream.ts';

export interface LogToolsProps {
  /** Heading and state of the stream. */
  title: ReactNode;
  place: LogRef;
  store: LogStore;
  text: string;
  onText: (text: string) => void;
  instance: string;
  onInstance: (instance: string) => void;
  isFollowing: boolean;
  onFollow: (isFollowing: boolean) => void;
  isWrapped: boolean;
  onWrap: (isWrapped: boolean) => void;
}

/** The select knows no empty value. */
const all = '*';

export function LogTools(props: LogToolsProps) {
  const { title, place, store, text, onText, instance, onInstance, isFollowing, onFollow, isWrapped, onWrap } = props;
  const count = useSyncExternalStore(store.subscribe, () => store.sources.size);
  const sources = [...store.sources.keys()];
  const options = [
    { value: all, label: count === 1 ? 'The one instance' : `All ${count} instances` },
    ...(instance !== '' && !sources.includes(instance) ? [instance, ...sources] : sources).map((source) => ({
      value: source,
      label: source.replace(`${place.revision}-`, ''),
    })),
  ];
  return (
    <div className={css.tools}>
      <div className={css.title}>{title}</div>
      <SearchInput className={css.search} hasShortcut label="Search, or level:error instance:name" value={text} onChange={onText} />
      {(count > 1 || instance !== '') && (
        <Select
          className={css.instance}
          aria-label="Instance"
          value={instance === '' ? all : instance}
          onChange={(value) => onInstance(value === all ? '' : value)}
          options={options}
        />
      )}
      <div className={css.switches}>
        <FollowButton isFollowing={isFollowing} onFollow={onFollow} />
        <IconButton
          label="Wrap long lines"
          variant="quiet"
          aria-pressed={isWrapped}
          icon={<WrapText aria-hidden="true" />}
          onClick={() => onWrap(!isWrapped)}
        />
        <DownloadLog place={place} instance={instance} />
      </div>
    </div>
  );
}

function DownloadLog({ place, instance }: { place: LogRef; instance: string }) {
  const [isBusy, setBusy] = useState(false);
  const save = async (): Promise<void> => {
    setBusy(true);
    try {
      await downloadLog(place, instance);
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
