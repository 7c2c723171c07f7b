/** The vulnerabilities of an image, worst first, filtered by severity, available fix, or allowed. The URL holds the filters. */
import { imageVulnerabilityList, type ScanSummary, type Vulnerability } from '@slipway/contract/registry/scan.ts';
import { isUnread, scanNoteText } from '@slipway/contract/registry/scan-notes.ts';
import type { ContainerRegistry } from '@slipway/contract/registry/project.ts';
import { severities, totalOf } from '@slipway/contract/registry/severity.ts';
import { EmptyState } from '@slipway/ui/feedback/EmptyState.tsx';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { SegmentedLinks } from '@slipway/ui/form/Segmented.tsx';
import { Select } from '@slipway/ui/form/Select.tsx';
import { Pagination } from '@slipway/ui/list/Pagination.tsx';
import type { Column } from '@slipway/ui/list/Table.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { TwoLines } from '@slipway/ui/text/TwoLines.tsx';
import { paths } from '#entities/paths.ts';
import { useQuery } from '#kit/api/query.ts';
import { pageCountOf } from '#kit/list/list-total.ts';
import { ListPanel } from '#kit/list/ListPanel.tsx';
import { NoMatch } from '#kit/list/NoMatch.tsx';
import { useInPageLinks } from '#kit/page/in-page-links.ts';
import { useUrlState } from '#kit/state/url-state.ts';
import { dayLabel } from '#features/registry/days.ts';
import { oldestOf, scanLook, severityLabels, severityTone } from '#features/registry/scan-labels.ts';
import { imageParams, useScan, type ImageRef } from '#features/registry/ScanStatus.tsx';
import { rowActions } from '#kit/list/columns.tsx';
import css from './VulnerabilitiesPanel.module.css';

const defaults = { show: '', severity: '', page: 0 };
const pageSize = 20;

function Severity({ found: { severity, score, allowed } }: { found: Vulnerability }) {
  const word = `${severityLabels[severity]}${score === null ? '' : ` ${score.toFixed(1)}`}`;
  return allowed ? <Status tone="off">{word}, allowed</Status> : <Status tone={severityTone[severity]}>{word}</Status>;
}

const allowedWords = ({ reason, author, expiresAt }: NonNullable<Vulnerability['allowed']>): string =>
  `Allowed until ${dayLabel(expiresAt, new Date())} by ${author.displayName}: “${reason}”`;

const columnsFor = (image: ImageRef, mayAllow: boolean): Column<Vulnerability>[] => [
  {
    key: 'id',
    header: 'Vulnerability',
    cell: ({ id, url, title, allowed }) => (
      <TwoLines below={allowed ? allowedWords(allowed) : title}>
        {url === null ? (
          <span className={css.id}>{id}</span>
        ) : (
          <a className={css.id} href={url} target="_blank" rel="noreferrer">
            {id}
          </a>
        )}
      </TwoLines>
    ),
  },
  { key: 'severity', header: 'Severity', cell: (found) => <Severity found={found} /> },
  {
    key: 'package',
    header: 'Package, installed',
    cell: ({ package: name, installed, path }) => (
      <TwoLines below={<code>{installed}</code>}>
        <code className={css.package} title={path ?? undefined}>
          {name}
        </code>
      </TwoLines>
    ),
  },
  {
    key: 'fixed',
    header: 'Fixed in',
    cell: ({ fixedIn }) => (fixedIn === null ? <span className="meta">none yet</span> : <code className={css.fixed}>{fixedIn}</code>),
  },
  {
    ...rowActions,
    cell: ({ id, allowed }) =>
      !allowed &&
      mayAllow && (
        <LinkButton
          size="sm"
          variant="quiet"
          aria-label={`Allow ${id}`}
          href={`${paths.containerRegistry(image, 'policy')}?allow=${encodeURIComponent(id)}`}
        >
          Allow
        </LinkButton>
      ),
  },
];

export function VulnerabilitiesPanel({ image, registry }: { image: ImageRef; registry: ContainerRegistry | undefined }) {
  const { state, set, hrefOf } = useUrlState(defaults);
  const onClickCapture = useInPageLinks();
  const { data: scan } = useScan(image);
  const severity = severities.find((one) => one === state.severity);
  const list = useQuery(
    imageVulnerabilityList,
    !!scan?.result && {
      params: imageParams(image),
      query: {
        page: state.page,
        size: pageSize,
        ...(severity ? { severity } : {}),
        ...(state.show === 'fixable' ? { fixable: 'true' } : {}),
        ...(state.show === 'allowed' ? { allowed: 'true' } : {}),
      },
    },
    { keepPreviousData: true },
  );
  if (scan && !scan.result) return <NoResult scan={scan} />;
  const views = [
    ['', 'All'],
    ['fixable', 'Fixable'],
    ['allowed', 'Allowed'],
  ] as const;
  return (
    <div className="stack stack-12" onClickCapture={onClickCapture}>
      <ListPanel
        label="Vulnerabilities"
        plural="vulnerabilities"
        list={list}
        head={{
          title: 'Vulnerabilities',
          note: scan?.result && <Source result={scan.result} />,
          children: (
            <>
              <SegmentedLinks
                label="Which vulnerabilities"
                items={views.map(([show, label]) => ({ label, href: hrefOf({ show }), isCurrent: state.show === show }))}
              />
              <Select
                className={css.severity}
                aria-label="Severity"
                options={[
                  { value: 'ALL', label: 'Every severity' },
                  ...severities.map((value) => ({ value, label: severityLabels[value] })),
                ]}
                value={severity ?? 'ALL'}
                onChange={(value) => set({ severity: value === 'ALL' ? '' : value }, { replace: true })}
              />
            </>
          ),
        }}
        columns={columnsFor(image, registry?.can['update'] === true)}
        rows={list.data?.content ?? []}
        rowKey={({ id, package: name, installed, path }) => `${id} ${name} ${installed} ${path ?? ''}`}
        density="tall"
        phone="flow"
        empty={<Nothing scan={scan} isFiltered={state.show !== '' || severity !== undefined} onClear={() => set(defaults)} />}
      >
        {scan?.result && <Notes notes={scan.result.notes} />}
      </ListPanel>
      <Pagination
        label="vulnerabilities"
        page={state.page + 1}
        pageCount={pageCountOf(list.data)}
        hrefOf={(page) => hrefOf({ page: page - 1 })}
      />
    </div>
  );
}

/** Names the scanner and the age of the oldest advisory set that the scan used. */
function Source({ result }: { result: NonNullable<ScanSummary['result']> }) {
  const { counts, scanner, advisories, scannedAt } = result;
  const oldest = oldestOf(advisories);
  return (
    <>
      {totalOf(counts).toLocaleString('en')} found by {scanner.name},{' '}
      {oldest ? (
        <>
          advisories of <RelativeTime at={oldest.asOf} isShort />
        </>
      ) : (
        <RelativeTime at={scannedAt} isShort />
      )}
    </>
  );
}

function Notes({ notes }: { notes: NonNullable<ScanSummary['result']>['notes'] }) {
  if (notes.length === 0) return null;
  return (
    <div className={css.notes}>
      <Notice tone={notes.some(isUnread) ? 'warn' : 'idle'}>
        <strong>Not everything was looked at.</strong>
        <ul>
          {notes.map((note) => (
            <li key={`${note.code} ${JSON.stringify(note.context)}`}>{scanNoteText(note)}</li>
          ))}
        </ul>
      </Notice>
    </div>
  );
}

function Nothing({ scan, isFiltered, onClear }: { scan: ScanSummary | undefined; isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) return <NoMatch noun="vulnerability" onClear={onClear} />;
  const isWhole = scan?.result?.notes.length === 0;
  return (
    <EmptyState kind="first-use" title={isWhole ? 'Nothing found' : 'Nothing found in what was looked at'} isCompact>
      {isWhole ? 'No advisory fits a package of this image.' : 'That does not make the image clean: the notes below say what is missing.'}
    </EmptyState>
  );
}

function NoResult({ scan }: { scan: ScanSummary }) {
  const { word, below } = scanLook(scan);
  const isMoving = scan.state === 'QUEUED' || scan.state === 'SCANNING';
  return (
    <ListPanel
      label="Vulnerabilities"
      plural="vulnerabilities"
      list={{ data: scan, attempt: 0, mutate: async () => undefined }}
      head={{ title: 'Vulnerabilities' }}
      columns={[]}
      rows={[]}
      rowKey={() => ''}
      empty={
        <EmptyState kind="first-use" title={word}>
          {below || (isMoving ? 'The result shows here by itself.' : 'Nobody knows what is in this image. Scan it to find out.')}
        </EmptyState>
      }
    />
  );
}
