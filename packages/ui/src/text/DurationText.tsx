// A duration. Without an end it ticks.
import { duration, tickingDuration } from '../format/duration.ts';
import { useNow } from '../use-now.ts';

export interface DurationTextProps {
  from: string | Date;
  to?: string | Date | null;
}

const time = (at: string | Date) => (typeof at === 'string' ? new Date(at) : at).getTime();

export function DurationText({ from, to }: DurationTextProps) {
  const start = time(from);
  const text = useNow((now) => (to ? duration(time(to) - start) : tickingDuration(now - start)), !to);
  return <span className="num">{text}</span>;
}
