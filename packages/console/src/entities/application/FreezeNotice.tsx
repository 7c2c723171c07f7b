/** Says on the pages of production that it is frozen, was opened by an override, or will be frozen soon. */
import { appFreezeView, freezeTime } from '@slipway/contract/freeze.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { Snowflake } from 'lucide-react';
import { useQuery } from '#kit/api/query.ts';

/** A window opens and ends without a change event. */
const POLL_MS = 60_000;

export function FreezeNotice({ app, env }: { app: string; env: string }) {
  const query = useQuery(appFreezeView, env === 'production' && { params: { app, env } }, { isAlwaysPolled: true, pollMs: () => POLL_MS });
  if (!query.data) return null;
  const { open, coming, override } = query.data;
  const icon = <Snowflake aria-hidden="true" />;
  if (open && override)
    return (
      <Notice tone="warn" icon={icon}>
        <strong>{override.by} overrides the freeze.</strong> Changes are possible until <RelativeTime at={override.until} />:{' '}
        {override.reason}
      </Notice>
    );
  if (open)
    return (
      <Notice tone="warn" icon={icon}>
        <strong>Frozen until {freezeTime(open.endsAt, open.timeZone)}:</strong> {open.reason} ({open.name}). Rollbacks and deactivations are
        still possible.
      </Notice>
    );
  if (!coming) return null;
  return (
    <Notice icon={icon}>
      <strong>
        Frozen from {freezeTime(coming.startsAt, coming.timeZone)} to {freezeTime(coming.endsAt, coming.timeZone)}:
      </strong>{' '}
      {coming.reason} ({coming.name}).
    </Notice>
  );
}
