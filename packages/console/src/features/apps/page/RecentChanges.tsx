/** The latest changes in an app, visible to members only. */
import { appActivityList } from '@slipway/contract/activity.ts';
import type { Application } from '@slipway/contract/application.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { StatusIcon } from '@slipway/ui/feedback/StatusIcon.tsx';
import { Panel, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { paths, type AppRef } from '#entities/paths.ts';
import { levelLook } from '#entities/status.ts';
import css from './RecentChanges.module.css';

const shown = 5;

export function RecentChanges({ app, place }: { app: Application; place: AppRef }) {
  const mayRead = app.can['readActivity'] === true;
  const list = useQuery(appActivityList, mayRead && { params: { ...place }, query: { size: shown } });
  if (!mayRead) return null;
  const entries = list.data?.content ?? [];
  return (
    <Panel aria-labelledby="recent-changes">
      <PanelHead title="Recent changes" titleId="recent-changes">
        <Link href={paths.appActivity(place)}>Activity logs</Link>
      </PanelHead>
      {list.error && !list.data && <ListError what="recent changes" query={list} />}
      {list.data && entries.length === 0 && (
        <EmptyState kind="first-use" title="Nothing has happened yet" isCompact>
          Every change of this app is written here.
        </EmptyState>
      )}
      <ul className={css.changes}>
        {entries.map((entry) => (
          <li key={entry.id}>
            <StatusIcon tone={levelLook[entry.level].tone} />
            <Link className={css.message} href={`${paths.appActivity(place)}?entry=${encodeURIComponent(entry.id)}`}>
              {entry.message}
            </Link>
            <span className="meta">
              <RelativeTime at={entry.at} isShort />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
