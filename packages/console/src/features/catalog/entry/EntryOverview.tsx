/** An overview of an entry: description, place, what runs, scorecard, owners, labels and dates. */
import type { CatalogApplication } from '@slipway/contract/catalog/application.ts';
import type { CatalogPlatform } from '@slipway/contract/catalog/platform.ts';
import type { CatalogProduct } from '@slipway/contract/catalog/product.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { Tag } from '@slipway/ui/feedback/Tag.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelFoot, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Avatar } from '@slipway/ui/text/Avatar.tsx';
import { RelativeTime } from '@slipway/ui/text/RelativeTime.tsx';
import { lazy, Suspense, useState } from 'react';
import { paths, type CatalogRef } from '#entities/paths.ts';
import { dayText, entryLook } from '#features/catalog/catalog-labels.ts';
import type { Entry } from '#features/catalog/entry-kinds.ts';
import { AppSuggestions } from './AppSuggestions.tsx';
import { CatalogTree } from '#features/catalog/tree/CatalogTree.tsx';
import { ClaimDialog, LabelsDialog } from './EntryDialogs.tsx';
import css from './EntryOverview.module.css';
import { RiskPanel } from './RiskPanel.tsx';
import { AttestButton, Scorecard } from './Scorecard.tsx';

const ContentsDialog = lazy(() => import('./ContentsDialog.tsx'));

interface Props {
  entry: Entry;
  reload: () => void;
}

export function EntryOverview({ entry, reload }: Props) {
  const { kind, id, status } = entry;
  return (
    <>
      <div className="split split-side">
        <div className="stack stack-24">
          <Panel aria-labelledby="what-it-is">
            <PanelHead title="What it is" titleId="what-it-is" />
            <PanelBody className="stack">
              <p className={css.text}>{entry.description}</p>
              <Lineage entry={entry} />
            </PanelBody>
          </Panel>
          {kind === 'application' && <WhatRuns entry={entry as Entry & CatalogApplication} reload={reload} />}
          {(kind === 'platform' || kind === 'portfolio') && entry.status === 'ACTIVE' && <RiskPanel kind={kind} id={id} />}
          {kind === 'product' && <Contents entry={entry as Entry & CatalogProduct} reload={reload} />}
        </div>
        <div className="stack stack-24">
          {kind === 'application' && entry.status === 'ACTIVE' && <Scorecard entry={entry as Entry & CatalogApplication} reload={reload} />}
          <OwnersPanel entry={entry} reload={reload} />
          <LabelsPanel entry={entry} reload={reload} />
          <DatesPanel entry={entry as Entry & Partial<CatalogApplication>} />
        </div>
      </div>
      {status !== 'DECOMMISSIONED' && <TreeAround entry={entry} />}
    </>
  );
}

/** The line from the portfolio down to this entry. */
function Lineage({ entry }: { entry: Entry }) {
  const { platform = null, product = null, portfolio = null } = entry as unknown as Partial<CatalogApplication & CatalogPlatform>;
  const above = platform?.portfolio ?? portfolio;
  const places: (CatalogRef & { label: string; name: string })[] = [
    ...(above ? [{ kind: 'portfolio' as const, id: above.portfolioId, label: 'Portfolio', name: above.portfolioName }] : []),
    ...(platform ? [{ kind: 'platform' as const, id: platform.platformId, label: 'Platform', name: platform.platformName }] : []),
    ...(product ? [{ kind: 'product' as const, id: product.productId, label: 'Product', name: product.productName }] : []),
  ];
  if (places.length === 0) return null;
  return (
    <ol className={css.lineage} aria-label="Where it belongs">
      {places.map(({ label, name, ...ref }) => (
        <li key={ref.id}>
          <span className="meta">{label}</span>
          <Link href={paths.catalogEntry(ref)}>{name}</Link>
        </li>
      ))}
      <li aria-current="true">
        <span className="meta">This entry</span>
        <strong>{entry.name}</strong>
      </li>
    </ol>
  );
}

function WhatRuns({ entry, reload }: { entry: Entry & CatalogApplication; reload: () => void }) {
  const { app, locallyManaged, seenRunningAt, attestedAt } = entry;
  return (
    <Panel aria-labelledby="what-runs">
      <PanelHead title="What runs" titleId="what-runs">
        {seenRunningAt !== null && (
          <Status tone="ok">
            Seen running <RelativeTime at={seenRunningAt} />
          </Status>
        )}
      </PanelHead>
      <PanelBody className="stack stack-12">
        {app !== null ? (
          <p>
            The app <Link href={paths.app({ app: app.id })}>{app.displayName}</Link> is linked. An instance that was ready within 30 days
            proves the entry.
          </p>
        ) : locallyManaged ? (
          <>
            <p>
              It runs outside of Slipway. An owner confirms once a year that it is still true.
              {attestedAt !== null && (
                <>
                  {' '}
                  Last confirmed <RelativeTime at={attestedAt} />.
                </>
              )}
            </p>
            {entry.can['attest'] === true && !entry.verified && (
              <span>
                <AttestButton entry={entry} reload={reload} />
              </span>
            )}
          </>
        ) : (
          <>
            <p>No app is linked, so nothing proves that it runs.</p>
            {entry.status === 'ACTIVE' && (
              <p>
                <Link href={`${paths.newAppCatalogue()}?macId=${encodeURIComponent(entry.id)}`}>Create an app from this entry</Link>, or set
                its macId {entry.id} on an existing app.
              </p>
            )}
            {entry.status === 'ACTIVE' && <AppSuggestions appId={entry.id} reload={reload} />}
          </>
        )}
      </PanelBody>
    </Panel>
  );
}

function Contents({ entry, reload }: { entry: Entry & CatalogProduct; reload: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const { applications, canEdit, status } = entry;
  return (
    <Panel aria-labelledby="contents">
      <PanelHead title="Applications" titleId="contents" note={applications.length}>
        {canEdit && status === 'ACTIVE' && (
          <Button size="sm" aria-label="Change applications" onClick={() => setOpen(true)}>
            Change
          </Button>
        )}
      </PanelHead>
      {applications.length === 0 ? (
        <PanelBody>
          <p className="meta">No application belongs to this product yet.</p>
        </PanelBody>
      ) : (
        <ul className={css.children}>
          {applications.map(({ applicationId, applicationName, status: state }) => (
            <li key={applicationId}>
              <Link href={paths.catalogEntry({ kind: 'application', id: applicationId })}>{applicationName}</Link>
              <code className="quiet">{applicationId}</code>
              {state !== 'ACTIVE' && <span className="meta push">{entryLook[state].word}</span>}
            </li>
          ))}
        </ul>
      )}
      <Suspense fallback={null}>{isOpen && <ContentsDialog entry={entry} onClose={() => setOpen(false)} reload={reload} />}</Suspense>
    </Panel>
  );
}

/** The tree around a portfolio or platform. */
function TreeAround({ entry }: { entry: Entry }) {
  const { kind, id, name } = entry;
  const { portfolio, applicationCount } = entry as unknown as Partial<CatalogPlatform>;
  const root = kind === 'platform' ? portfolio?.portfolioId : id;
  if (kind !== 'platform' && kind !== 'portfolio') return null;
  return (
    <>
      {kind === 'platform' && (
        <p className="row row-wrap">
          <Link href={paths.catalog(`?platform=${encodeURIComponent(id)}`)}>
            {count(applicationCount ?? 0, 'active application')} of {name}
          </Link>
          <Link href={paths.catalogSummary(id)}>Monthly summary</Link>
        </p>
      )}
      {root !== undefined && <CatalogTree title="Up and down the tree" root={root} current={id} opened={root === id ? [id] : [root, id]} />}
    </>
  );
}

function OwnersPanel({ entry, reload }: Props) {
  const [isOpen, setOpen] = useState(false);
  const areAllActive = entry.owners.every(({ active }) => active);
  return (
    <Panel aria-labelledby="owners">
      <PanelHead title="Owners" titleId="owners">
        {entry.status === 'ACTIVE' && (
          <Button size="sm" onClick={() => setOpen(true)}>
            {entry.canEdit ? 'Change' : 'Ask to own it'}
          </Button>
        )}
      </PanelHead>
      {entry.owners.length > 0 && (
        <ul className={css.people}>
          {entry.owners.map(({ id, displayName, email, active }) => (
            <li key={id}>
              <Avatar name={displayName} />
              <span className="ell" title={email ?? undefined}>
                {displayName}
              </span>
              {!active && <span className="meta push">left</span>}
            </li>
          ))}
        </ul>
      )}
      <PanelFoot>
        {entry.owners.length === 0 ? (
          <Status tone="bad">Nobody owns it.</Status>
        ) : areAllActive ? (
          <span className="meta">All owners are active.</span>
        ) : (
          <Status tone="warn">An owner left the company.</Status>
        )}
      </PanelFoot>
      {isOpen && <ClaimDialog entry={entry} onClose={() => setOpen(false)} reload={reload} />}
    </Panel>
  );
}

function LabelsPanel({ entry, reload }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel aria-labelledby="labels">
      <PanelHead title="Labels" titleId="labels">
        {entry.canEdit && (
          <Button size="sm" onClick={() => setOpen(true)}>
            Change
          </Button>
        )}
      </PanelHead>
      <PanelBody className="row row-wrap">
        {entry.labels.length === 0 && <span className="meta">None.</span>}
        {entry.labels.map(({ id, name }) => (
          <Link key={id} href={paths.catalog(`?kind=${entry.kind}&labels=${encodeURIComponent(id)}`)}>
            <Tag>{name}</Tag>
          </Link>
        ))}
      </PanelBody>
      {isOpen && <LabelsDialog entry={entry} onClose={() => setOpen(false)} reload={reload} />}
    </Panel>
  );
}

function DatesPanel({ entry }: { entry: Entry & Partial<CatalogApplication> }) {
  const { targetDecommissioningDate: target, decommissionedDate, attestedAt } = entry;
  return (
    <Panel aria-labelledby="dates">
      <PanelHead title="Dates" titleId="dates" />
      <PanelBody>
        <KeyValue
          items={[
            { label: 'Onboarded', value: dayText(entry.createdDate) },
            ...(attestedAt ? [{ label: 'Confirmed', value: dayText(attestedAt) }] : []),
            ...(target === undefined ? [] : [{ label: 'Target date to leave', value: target === null ? 'none' : dayText(target) }]),
            ...(decommissionedDate ? [{ label: 'Decommissioned', value: dayText(decommissionedDate) }] : []),
          ]}
        />
      </PanelBody>
    </Panel>
  );
}
