/** Shows whether the screen is up to date: "Live", "Reconnecting…", or since when it may be stale. */
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { useNow } from '@slipway/ui/use-now.ts';
import { staleAfterMs, useConnection, type Connection } from '#kit/api/connection.ts';
import css from './ConnectionState.module.css';

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

const isStaleAt = (connection: Connection, now: number): boolean =>
  connection.state === 'reconnecting' && now - connection.since > staleAfterMs;

export function ConnectionState() {
  const connection = useConnection();
  const isStale = useNow((now) => Number(isStaleAt(connection, now)), connection.state === 'reconnecting') === 1;
  if (connection.state === 'connecting') return null;
  if (connection.state === 'live') {
    return (
      <span className={`${css.state} only-wide`} role="status">
        <Status tone="ok">Live</Status>
      </span>
    );
  }
  return (
    <span className={css.state} role="status">
      {isStale ? <Status tone="bad">Stale since {clock.format(connection.since)}</Status> : <Status tone="warn">Reconnecting…</Status>}
    </span>
  );
}
