// A relative time that updates itself, with the exact time on hover and focus.
import { classNames } from '../class-names.ts';
import { exactTime, relativeTime } from '../format/relative-time.ts';
import css from './RelativeTime.module.css';
import { Tooltip } from '../overlay/Tooltip.tsx';
import { useNow } from '../use-now.ts';

export interface RelativeTimeProps {
  /** ISO string, or a Date. */
  at: string | Date;
  isShort?: boolean;
  /** Makes it a tab stop, so that the exact time is available without a mouse. Off in long lists, where that would add too many stops. */
  isFocusable?: boolean;
  className?: string;
}

export function RelativeTime({ at, isShort, isFocusable = false, className }: RelativeTimeProps) {
  const date = typeof at === 'string' ? new Date(at) : at;
  const text = useNow((now) => relativeTime(date, new Date(now), { isShort }));
  const exact = exactTime(date);
  if (!isFocusable) {
    return (
      <time dateTime={date.toISOString()} title={exact} className={classNames(css.words, className)}>
        {text}
      </time>
    );
  }
  return (
    <Tooltip content={exact}>
      <time dateTime={date.toISOString()} tabIndex={0} className={classNames(css.words, css.time, className)}>
        {text}
      </time>
    </Tooltip>
  );
}
