/** Start position, partition and key of the messages, and a search in them. */
import { Input } from '@slipway/ui/form/Input.tsx';
import { SearchInput } from '@slipway/ui/form/SearchInput.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { Switch } from '@slipway/ui/form/Switch.tsx';
import type { ReactNode } from 'react';
import { useSearchText } from '#kit/state/url-state.ts';
import css from './MessageTools.module.css';

export type ToolState = Readonly<Record<'from' | 'partition' | 'offset' | 'time' | 'key' | 'find', string>>;

export interface MessageToolsProps {
  state: ToolState;
  set: (patch: Partial<ToolState>, options?: { replace?: boolean }) => void;
  partitions: number;
  isLive: boolean;
  onLive: (isLive: boolean) => void;
  actions: ReactNode;
}

const hourMs = 3_600_000;
const two = (part: number): string => String(part).padStart(2, '0');
/** One hour ago in local time, in the format of the input. */
const hourAgo = (): string => {
  const at = new Date(Date.now() - hourMs);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
};

export function MessageTools(props: MessageToolsProps) {
  const { state, set, partitions, isLive, onLive, actions } = props;
  const [key, setKey] = useSearchText(state.key, (next) => set({ key: next }, { replace: true }));
  const [find, setFind] = useSearchText(state.find, (next) => set({ find: next }, { replace: true }));
  const [offset, setOffset] = useSearchText(state.offset, (next) => set({ offset: next.replace(/\D/g, '') }, { replace: true }));
  return (
    <div className="row row-wrap">
      <Segmented
        label="Start from"
        options={[
          { value: 'newest', label: 'Newest' },
          { value: 'oldest', label: 'Oldest' },
          { value: 'offset', label: 'Offset' },
          { value: 'time', label: 'Time' },
        ]}
        value={state.from}
        onChange={(from) => set({ from, ...(from === 'time' && state.time === '' ? { time: hourAgo() } : {}) })}
      />
      {state.from === 'offset' && (
        <Input
          className={css.short}
          aria-label="Offset"
          inputMode="numeric"
          placeholder="0"
          value={offset}
          onChange={(event) => setOffset(event.target.value)}
        />
      )}
      {state.from === 'time' && (
        <Input
          type="datetime-local"
          className={css.time}
          aria-label="Time"
          value={state.time}
          onChange={(event) => set({ time: event.target.value }, { replace: true })}
        />
      )}
      <Select
        aria-label="Partition"
        className={css.partition}
        options={[
          { value: 'all', label: `All ${partitions} partitions` },
          ...Array.from({ length: partitions }, (_, partition) => ({ value: String(partition), label: `Partition ${partition}` })),
        ]}
        value={state.partition === '' ? 'all' : state.partition}
        onChange={(partition) => set({ partition: partition === 'all' ? '' : partition })}
      />
      <Input className={css.key} aria-label="Key" placeholder="Key" value={key} onChange={(event) => setKey(event.target.value)} />
      <SearchInput className={css.find} hasShortcut label="Find, or kind:MOORED berth:C03" value={find} onChange={setFind} />
      <Switch label="Live" checked={isLive} onChange={(event) => onLive(event.target.checked)} />
      {actions}
    </div>
  );
}
