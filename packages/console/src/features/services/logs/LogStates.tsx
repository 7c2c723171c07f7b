/** States of the log: live, connecting, reconnecting, or not permitted. */
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Panel } from '@slipway/ui/layout/Panel.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { relativeTime } from '@slipway/ui/format/relative-time.ts';
import { useNow } from '@slipway/ui/use-now.ts';
import { useEffect, useState, type ReactNode } from 'react';
import type { StreamState } from './log-stream.ts';

/** Shorter interruptions are not shown. */
const tellAfterMs = 1500;

/** `isQuiet`: nothing is running that could write logs. */
export function StreamStatus({ stream, isQuiet }: { stream: StreamState; isQuiet: boolean }) {
  const isLive = stream.state === 'live' || stream.state === 'ended' || stream.state === 'failed';
  const [isTold, setTold] = useState(false);
  useEffect(() => {
    if (isLive) return;
    const timer = setTimeout(() => setTold(true), tellAfterMs);
    return () => {
      clearTimeout(timer);
      setTold(false);
    };
  }, [isLive]);
  if (stream.state === 'reconnecting' && isTold) return <Reconnecting since={stream.since} />;
  if (stream.state === 'connecting') return isTold ? <Status tone="warn">Connecting</Status> : null;
  if (stream.state === 'ended') return <Status tone="idle">Before the last restart</Status>;
  if (stream.state === 'failed') return <Status tone="bad">Could not be read</Status>;
  if (isQuiet) return <Status tone="idle">No instance writes</Status>;
  return (
    <Status tone="run" isTinted>
      Live
    </Status>
  );
}

function Reconnecting({ since }: { since: number }) {
  const words = useNow((now) => relativeTime(new Date(since), new Date(now)));
  return (
    <span role="status">
      <Status tone="warn">Reconnecting, last line {words}</Status>
    </span>
  );
}

export function NoLogRight({ noRight, reason }: { noRight: ReactNode; reason: string | undefined }) {
  return (
    <Panel id="logs" aria-label="Logs">
      <EmptyState kind="no-right" level={2} title="Logs are for members of the team">
        {noRight ?? reason}
      </EmptyState>
    </Panel>
  );
}
