/** Columns of the allowed vulnerabilities: id, reason, author, last day. */
import type { AllowedCve } from '@slipway/contract/registry/policy.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { useNow } from '@slipway/ui/use-now.ts';
import { dayLabel, daysUntil, inDays } from './days.ts';

/** Days before the end at which the team is warned. */
const soonDays = 7;
const minuteMs = 60_000;

export type AllowedRow = Pick<AllowedCve, 'cveId' | 'reason' | 'expiresAt'> & Partial<Pick<AllowedCve, 'author' | 'createdAt'>>;

function Until({ day }: { day: string }) {
  const now = new Date(useNow((ms) => Math.floor(ms / minuteMs)) * minuteMs);
  const days = daysUntil(day, now);
  if (days < 0) return <Status tone="bad">Ended {dayLabel(day, now)}</Status>;
  const words = `${dayLabel(day, now)}, ${inDays(days)}`;
  return days <= soonDays ? <Status tone="warn">{words}</Status> : words;
}

export const allowedColumns = <Row extends AllowedRow>(): Column<Row>[] => [
  { key: 'cve', header: 'Vulnerability', cell: ({ cveId }) => <code className="strong">{cveId}</code> },
  { key: 'reason', header: 'Reason', cell: ({ reason }) => reason },
  {
    key: 'by',
    header: 'By',
    cell: ({ author, createdAt }) =>
      author && createdAt ? (
        <>
          {author.displayName}, <RelativeTime at={createdAt} isShort />
        </>
      ) : (
        <span className="tone-run">new</span>
      ),
  },
  { key: 'until', header: 'Until', cell: ({ expiresAt }) => <Until day={expiresAt} /> },
];
