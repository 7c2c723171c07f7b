/** The frame of a promotion page: the object, the changes in production, and beside them checks, approver and button. */
import type { PromotionDifference } from '@slipway/contract/streaming/promotion.ts';
import { Badge } from '@slipway/ui/feedback/Badge.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { LinkButton } from '@slipway/ui/form/LinkButton.tsx';
import { Details } from '@slipway/ui/layout/Details.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { useState, type ReactNode } from 'react';
import { paths, type EventsPart } from '#entities/paths.ts';
import { isStatus } from '#kit/api/errors.ts';
import { DialogError } from '#kit/error/DialogError.tsx';
import { PageBody } from '#kit/page/PageBody.tsx';
import { PageHeader } from '#kit/page/PageHeader.tsx';
import { usePageTitle } from '#kit/page/page-title.ts';
import { CheckList, type Check } from '#features/streaming/parts/CheckList.tsx';
import { AwayNotice } from '#features/streaming/BrokerNotice.tsx';
import { EntityBar } from '#entities/resource/EntityBar.tsx';
import type { EventsPlace } from '#features/streaming/use-place.ts';
import type { Promotion } from './use-promotion.ts';
import { WhatChanges, whatChangesId } from './WhatChanges.tsx';

export interface PromotionFrameProps {
  place: EventsPlace;
  /** "Topic". */
  label: string;
  name: string;
  /** URL of the object here, and in production. */
  href: string;
  hrefThere: string;
  /** The list that will contain the object. */
  list: EventsPart;
  /** Undefined until loaded. */
  view: { isNew: boolean; differences: readonly PromotionDifference[] } | undefined;
  checks: readonly Check[];
  promotion: Promotion;
  /** Why the object cannot be promoted. Covers everything that the server would reject. */
  reason: string | undefined;
  /** Shown below the button: side effects. */
  footNote?: ReactNode;
  /** Shown above the button. */
  form?: ReactNode;
  /** Shown below the differences. */
  children?: ReactNode;
}

const lookOf = ({ isNew, differences }: NonNullable<PromotionFrameProps['view']>) => {
  if (isNew) return { tone: 'run', word: 'New in production' } as const;
  return differences.length === 0 ? ({ tone: 'ok', word: 'The same' } as const) : ({ tone: 'warn', word: 'Differs' } as const);
};

export function PromotionFrame(props: PromotionFrameProps) {
  const { place, label, name, href, hrefThere, list, view, checks, children } = props;
  const look = view && lookOf(view);
  const isThere = view?.isNew === false;
  usePageTitle([`Promote ${name}`, place.app, place.env]);
  return (
    <>
      <PageHeader
        typeLabel="Promotion"
        name={`Promote ${name} to production`}
        status={look && <Badge tone={look.tone}>{look.word}</Badge>}
        isLoading={!view}
      >
        <Details
          items={[
            { label, value: <Link href={href}>{name}</Link> },
            { label: 'App', value: <Link href={paths.app(place)}>{place.app}</Link> },
            { label: 'In production', value: isThere ? <Link href={hrefThere}>{name}</Link> : 'Not there yet' },
          ]}
        />
      </PageHeader>
      <EntityBar
        env={place.env}
        hrefOf={(env) => (env === place.env ? href : isThere ? hrefThere : paths.events({ app: place.app, env }, list))}
      />
      <PageBody padding="flush" className="stack stack-24" isTall>
        <AwayNotice place={{ ...place, env: 'production' }} />
        {view && (
          <div className="split split-side">
            <div className="stack stack-24">
              <WhatChanges {...view} />
              {children}
            </div>
            <div className="stack stack-24">
              <CheckList title="Before it goes" checks={checks} />
              <Answer {...props} />
            </div>
          </div>
        )}
      </PageBody>
    </>
  );
}

function Answer({ view, href, reason, promotion: { promote, busy, failure, lookAgain }, form, footNote }: PromotionFrameProps) {
  const isSame = view !== undefined && !view.isNew && view.differences.length === 0;
  const why = reason ?? (isSame ? 'Production is the same: there is nothing to promote.' : undefined);
  return (
    <Panel aria-labelledby="promote">
      <PanelHead title="Promote" titleId="promote" />
      <PanelBody className="stack stack-12">
        {form}
        {failure !== undefined && <DialogError error={failure} />}
        {isStatus(failure, 409) && <LookAgain lookAgain={lookAgain} />}
        <div className="row row-wrap">
          <Button
            variant="primary"
            isBusy={busy !== undefined}
            busyLabel={`Promoting ${busy ?? ''}`}
            disabledReason={why}
            reasonPlacement="below"
            onClick={() => void promote()}
          >
            Promote to production
          </Button>
          <LinkButton href={href} variant="quiet">
            Cancel
          </LinkButton>
        </div>
        {footNote !== undefined && why === undefined && <p className="meta">{footNote}</p>}
      </PanelBody>
    </Panel>
  );
}

/** Production changed after the page opened, so the user has to review the changes again. */
function LookAgain({ lookAgain }: Pick<Promotion, 'lookAgain'>) {
  const [isLooking, setLooking] = useState(false);
  const look = async (): Promise<void> => {
    setLooking(true);
    await lookAgain();
    document.getElementById(whatChangesId)?.focus();
  };
  return (
    <div>
      <Button isBusy={isLooking} busyLabel="Comparing" onClick={() => void look()}>
        Look at the changes again
      </Button>
    </div>
  );
}
