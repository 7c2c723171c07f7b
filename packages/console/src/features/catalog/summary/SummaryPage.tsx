/** The monthly summary of a platform: the sum of the month, and a list for every number. */
import { catalogMonthlySummary, catalogSummaryPlatforms, type MonthlySummary } from '@slipway/contract/catalog/summary.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { MetricRow } from '@slipway/ui/figures/MetricRow.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { useNavigate, useParams } from 'react-router';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { ListError } from '#kit/list/ListError.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { CatalogHeader } from '#features/catalog/CatalogHeader.tsx';
import css from './SummaryPage.module.css';

const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const monthName = (month: string): string => monthFormat.format(new Date(`${month}-01T00:00:00Z`));

const thisMonth = (): string => new Date().toISOString().slice(0, 7);

export function Component() {
  const { platform, month } = useParams();
  const navigate = useNavigate();
  const mine = useQuery(catalogSummaryPlatforms, {}, { pollMs: 0 });
  const first = mine.data?.[0];
  const platformId = platform ?? first?.platformId;
  const known = mine.data?.find((one) => one.platformId === platformId);
  const months = known?.months.toSorted().toReversed() ?? [month ?? thisMonth()];
  const shownMonth = month ?? months[0] ?? thisMonth();
  const summary = useQuery(catalogMonthlySummary, platformId !== undefined && { query: { platformId, summaryMonth: shownMonth } }, {
    keepPreviousData: true,
  });
  const open = (nextPlatform: string, nextMonth?: string) => void navigate(paths.catalogSummary(nextPlatform, nextMonth));
  return (
    <>
      <CatalogHeader part="Monthly summary" />
      <PageBody className="stack stack-24">
        {mine.error && !mine.data ? (
          <Panel aria-label="Platforms">
            <ListError what="platforms" query={mine} />
          </Panel>
        ) : mine.data && platformId === undefined ? (
          <Panel aria-label="Platforms">
            <EmptyState level={2} kind="first-use" title="You own no platform">
              Open a platform in the catalog to see its monthly summary.
            </EmptyState>
          </Panel>
        ) : (
          platformId !== undefined && (
            <>
              <div className="row row-wrap">
                <Select
                  className={css.choice}
                  aria-label="Platform"
                  options={(mine.data ?? []).map((one) => ({ value: one.platformId, label: one.platformName }))}
                  value={platformId}
                  placeholder={summary.data?.platformName ?? platformId}
                  onChange={(next) => open(next, shownMonth)}
                />
                <Select
                  className={css.choice}
                  aria-label="Month"
                  options={months.map((value) => ({ value, label: monthName(value) }))}
                  value={shownMonth}
                  onChange={(next) => open(platformId, next)}
                />
              </div>
              {summary.error && !summary.data ? (
                <Panel aria-label="Monthly summary">
                  <ListError what="monthly summary" query={summary} />
                </Panel>
              ) : (
                summary.data && <Summary summary={summary.data} />
              )}
            </>
          )
        )}
      </PageBody>
    </>
  );
}

function Summary({ summary }: { summary: MonthlySummary }) {
  const { activeAtStart, onboarded, movedIn, putBack, deleted, movedOut, active, verified, unverified, rejected } = summary;
  return (
    <>
      <p className={css.sum}>
        <strong>
          {activeAtStart} + {onboarded} + {movedIn} + {putBack} − {deleted} − {movedOut} = {active}
        </strong>{' '}
        <span className="meta">active at the start + onboarded + moved in + put back − decommissioned − moved out = active at the end</span>
      </p>
      <MetricRow
        label={`${summary.platformName}, ${monthName(summary.summaryMonth)}`}
        readings={[
          {
            label: 'Active',
            value: active,
            note: `${verified} verified`,
            href: paths.catalog(`?platform=${encodeURIComponent(summary.platformId)}`),
          },
          { label: 'Onboarded', value: onboarded, note: `${rejected} rejected` },
          { label: 'Decommissioned', value: deleted },
          { label: 'Moved', value: movedIn + movedOut, note: `${movedIn} in, ${movedOut} out` },
          { label: 'Not verified', value: unverified },
        ]}
      />
      <div className="pair">
        <Listed title="Onboarded" entries={summary.applicationsOnboarded} />
        <Listed title="Asked to move" entries={summary.platformChangeRequests} />
        <Listed title="Data issues" entries={summary.reportedDataIssues} />
        <Listed title="Not verified" entries={summary.unverifiedApplications} />
      </div>
      <p className="meta">
        {summary.frozen ? 'This month is over; the summary no longer changes.' : 'This month is not over; the summary still changes.'}{' '}
        Worked out <RelativeTime at={summary.generatedAt} />.
      </p>
    </>
  );
}

function Listed({ title, entries }: { title: string; entries: MonthlySummary['applicationsOnboarded'] }) {
  return (
    <Panel aria-label={title}>
      <PanelHead title={title} note={entries.length} />
      {entries.length === 0 ? (
        <PanelBody>
          <p className="meta">None.</p>
        </PanelBody>
      ) : (
        <ul className={css.listed}>
          {entries.map(({ id, name, requestId }) => (
            <li key={`${id} ${requestId ?? ''}`}>
              <Link href={paths.catalogEntry({ kind: 'application', id })}>{name}</Link>
              {requestId !== null && (
                <Link className="push" href={paths.requests(requestId)}>
                  {requestId}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
